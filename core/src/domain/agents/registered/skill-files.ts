import { Fields, fileProblemText, kindOf, Problems, parseYaml } from "#domain/contracts/yaml";
import { StoaError } from "#platform/errors";
import type { Skill } from "../agent.ts";

export interface SentSkill extends Skill {
  readonly version: string;
  readonly author: string;
  /** The whole skill.yaml or SKILL.md. */
  readonly rawContent: string;
  /** "yaml" or "markdown"; a file of another format is kept unread. */
  readonly format: string;
}

/** Reading YAML holds up everything else, so one registration may not ask for more of it than this. */
const mostCharacters = 256 * 1024;

/** Fills name, description and tags from the skill's own file where they were not sent. */
export function readSkills(skills: readonly SentSkill[]): SentSkill[] {
  let room = mostCharacters;
  return skills.map((skill, index) => {
    if (skill.name !== "" && skill.description !== "" && skill.tags.length > 0) return skill;
    const yaml = yamlOf(skill);
    if (yaml === undefined) return skill;
    const problems = new Problems(`skills[${index}].raw_content`);
    room -= yaml.length;
    if (room < 0) {
      throw new StoaError(
        "INVALID_ARGUMENT",
        `Registration failed: ${problems.file}: the skills' YAML is longer than ${mostCharacters} characters in all; send name, description and tags beside it.`,
      );
    }
    const filled = fill(skill, yaml, problems);
    if (problems.errors.length > 0) {
      throw new StoaError(
        "INVALID_ARGUMENT",
        `Registration failed: ${problems.errors.map(fileProblemText).join("; ")}`,
      );
    }
    return filled;
  });
}

function fill(skill: SentSkill, yaml: string, problems: Problems): SentSkill {
  const value = parseYaml(yaml, problems);
  if (value === undefined) return skill;
  if (value.kind !== "map") {
    problems.error(value, `must be a map, not ${kindOf(value)}`);
    return skill;
  }
  const fields = new Fields(value, problems);
  const name = fields.string("name", { max: 256 }) ?? "";
  const description = fields.string("description") ?? "";
  const tags = fields.strings("tags").map(({ text }) => text);
  return {
    ...skill,
    name: skill.name || name,
    description: skill.description || description,
    tags: skill.tags.length > 0 ? skill.tags : tags,
  };
}

/** The YAML of the file: all of it, or the front matter of Markdown, on the lines where it stands. */
function yamlOf({ rawContent, format }: SentSkill): string | undefined {
  if (rawContent.trim() === "") return undefined;
  if (format === "yaml") return rawContent;
  if (format !== "markdown") return undefined;
  const [first, ...lines] = rawContent.split(/\r?\n/);
  const end = lines.findIndex((line) => line.trimEnd() === "---");
  if (first?.trimEnd() !== "---" || end < 1) return undefined;
  return ["", ...lines.slice(0, end)].join("\n");
}
