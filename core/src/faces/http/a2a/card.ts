import type { AgentCard } from "@a2a-js/sdk";
import type { Agent } from "#domain/agents";

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

/** How an agent introduces itself to A2A clients. */
export function cardOf(agent: Agent, url: string): AgentCard {
  const skills = agent.kind === "registered" ? agent.skills : [];
  return {
    ...spoken,
    name: agent.name,
    description: agent.description,
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
