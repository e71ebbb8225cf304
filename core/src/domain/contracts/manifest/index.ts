export { parseDiscoveredTools } from "./discovery.ts";
export { parseHost } from "./hosts.ts";
export { capabilityIdPattern, parseManifest, readManifest } from "./parse.ts";
export type {
  AllowedHost,
  Manifest,
  ManifestCredential,
  ManifestImage,
  ManifestResources,
  ManifestSharing,
  ManifestTool,
  Policy,
} from "./types.ts";
