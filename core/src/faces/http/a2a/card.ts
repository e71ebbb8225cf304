import type { AgentCard } from "@a2a-js/sdk";
import type { Agent, Skill } from "#domain/agents";

const version = "1.0.0";

/** What is the same for every agent, wherever it is served: what this core speaks. */
export const spoken: AgentCard = {
  name: "",
  description: "",
  version,
  provider: undefined,
  supportedInterfaces: [{ url: "", protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "" }],
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
  signatures: [],
};

/** A card must name a skill; this is what every agent can do. */
const conversation: Skill = {
  name: "conversation",
  description: "Answers messages.",
  tags: ["conversation"],
  inputModes: ["text/plain"],
  outputModes: ["text/plain"],
};

/** How an agent introduces itself to A2A clients. */
export function cardOf(agent: Agent, url: string): AgentCard {
  const declared = agent.kind === "registered" ? agent.skills : [];
  const skills = declared.length > 0 ? declared : [conversation];
  return {
    ...spoken,
    name: agent.name,
    description: agent.description || `The agent ${agent.name}.`,
    supportedInterfaces: spoken.supportedInterfaces.map((one) => ({ ...one, url })),
    skills: skills.map((skill) => ({
      id: skill.name,
      name: skill.name,
      description: skill.description,
      tags: [...skill.tags],
      examples: [],
      inputModes: [...skill.inputModes],
      outputModes: [...skill.outputModes],
      securityRequirements: [],
    })),
  };
}
