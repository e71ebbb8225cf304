import type { Manifest, ManifestTool } from "#domain/contracts/manifest";
import type { CapabilityValidator } from "#domain/contracts/schema";

/** A tool capability as the catalogue holds it: its manifest, where it lives, and its tools ready to check. */
export interface ToolCapability {
  readonly id: string;
  readonly manifest: Manifest;
  /** The folder of the manifest; a `file:` image is a program inside it. */
  readonly folder: string;
  readonly tools: readonly Tool[];
}

export interface Tool {
  /** What a model calls it: `{capability id}__{tool}`. */
  readonly qualifiedName: string;
  /** What the capability itself calls it. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly arguments: CapabilityValidator;
  readonly recommendedPolicy: ManifestTool["recommendedPolicy"];
}

export type CapabilityStatus =
  | { readonly state: "stopped" }
  | { readonly state: "starting" }
  | { readonly state: "ready" }
  | { readonly state: "unhealthy"; readonly reason: string };
