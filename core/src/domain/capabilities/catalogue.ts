import type { Manifest } from "#domain/contracts/manifest";
import { StoaError } from "#platform/errors";
import type { Tool, ToolCapability } from "./capability.ts";

/** The tool capabilities of this core, found by id and their tools by the name a model uses. */
export class CapabilityCatalogue {
  readonly #capabilities = new Map<string, ToolCapability>();
  readonly #tools = new Map<string, { capability: ToolCapability; tool: Tool }>();

  add(manifest: Manifest, folder: string): ToolCapability {
    if (this.#capabilities.has(manifest.id)) {
      throw new StoaError(
        "ALREADY_EXISTS",
        `Two capabilities are called ${manifest.id}; give ${folder} another id.`,
      );
    }
    const tools = manifest.tools.map((tool): Tool => {
      const qualifiedName = `${manifest.id}__${tool.name}`;
      return {
        qualifiedName,
        name: tool.name,
        description: tool.description,
        inputSchema: tool.inputSchema,
        arguments: tool.input,
        recommendedPolicy: tool.recommendedPolicy,
      };
    });
    const capability: ToolCapability = { id: manifest.id, manifest, folder, tools };
    this.#capabilities.set(capability.id, capability);
    for (const tool of tools) this.#tools.set(tool.qualifiedName, { capability, tool });
    return capability;
  }

  get(id: string): ToolCapability | undefined {
    return this.#capabilities.get(id);
  }

  findTool(qualifiedName: string): { capability: ToolCapability; tool: Tool } | undefined {
    return this.#tools.get(qualifiedName);
  }

  list(): ToolCapability[] {
    return [...this.#capabilities.values()];
  }
}
