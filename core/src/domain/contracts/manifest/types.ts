import type { CapabilityValidator, JsonObject } from "#domain/contracts/schema";
import type { FileProblem } from "#domain/contracts/yaml";

/** A manifest.yaml after reading: every field with its default filled in. */
export interface Manifest {
  readonly id: string;
  readonly class: "tool" | "environment";
  readonly image: ManifestImage;
  readonly toolSource: "manifest" | "dynamic";
  readonly discoveryToolName: string;
  /** Empty where `toolSource` is dynamic. */
  readonly tools: readonly ManifestTool[];
  readonly network: { readonly mode: "none" | "allowlist" | "any"; readonly hosts: readonly AllowedHost[] };
  readonly filesystem: "none" | "temp" | "workspace";
  readonly credentials: readonly ManifestCredential[];
  readonly resources: ManifestResources;
  /** A folder that outlives the sandbox, per user and capability; environment class only. */
  readonly cache: { readonly enabled: boolean };
  /** Whether one sandbox serves several sessions; tool class only. */
  readonly sharing: ManifestSharing;
  readonly warnings: readonly FileProblem[];
}

export type ManifestImage =
  | { readonly kind: "docker"; readonly ref: string }
  /** A program beside the manifest, `file:./server.ts`: for the process driver. The path is relative. */
  | { readonly kind: "file"; readonly path: string };

export type Policy = "allow" | "ask" | "block";

export interface ManifestTool {
  readonly name: string;
  readonly description: string;
  /** As written, keys in the order of the file. */
  readonly inputSchema: JsonObject;
  /** The schema compiled. */
  readonly input: CapabilityValidator;
  readonly recommendedPolicy: Policy;
  readonly terminalOnSuccess: boolean;
}

export interface AllowedHost {
  /** Lower case, without the `*.`. */
  readonly host: string;
  /** `*.host`: any depth of subdomain, and not the host itself. */
  readonly subdomains: boolean;
  /** Absent means any port. */
  readonly port?: number;
}

export interface ManifestCredential {
  readonly name: string;
  readonly scope: "system" | "user";
  readonly credentialType: "secret";
  readonly required: boolean;
  readonly description: string;
}

export interface ManifestResources {
  readonly maxMemoryMb: number;
  readonly maxCpuFraction: number;
  readonly maxCpuSeconds: number;
  readonly pidsLimit: number;
}

export interface ManifestSharing {
  readonly mode: "exclusive" | "shared";
  readonly maxConcurrent: number;
  readonly idleTimeoutSeconds: number;
}
