import { compareVersions, isVersion } from "#domain/contracts/capabilities";

/** What a caller was made for: what it read, or what its code was generated from. */
export interface KnownContract {
  readonly fingerprint?: string | undefined;
  readonly version?: string | undefined;
}

/** What the callee offers now. */
export interface OfferedContract {
  readonly fingerprint?: string | undefined;
  /** When the capability came. It refuses nobody: `minSchemaVersion` does. */
  readonly since?: string | undefined;
  readonly minSchemaVersion?: string | undefined;
}

export interface VersionSkew {
  readonly knownVersion: string;
  readonly oldestVersion: string;
  readonly message: string;
}

/**
 * Whether a caller is too old for a callee. Only what both sides say can tell: the same fingerprint settles it,
 * a caller that names no version is let through, and its payload is judged by the schema alone.
 */
export function versionSkew(known: KnownContract, offered: OfferedContract): VersionSkew | undefined {
  if (known.fingerprint !== undefined && known.fingerprint === offered.fingerprint) return undefined;
  const oldest = offered.minSchemaVersion;
  if (known.version === undefined || oldest === undefined) return undefined;
  if (!isVersion(known.version) || !isVersion(oldest)) return undefined;
  if (compareVersions(known.version, oldest) >= 0) return undefined;
  return {
    knownVersion: known.version,
    oldestVersion: oldest,
    message: `The caller knows version ${known.version} of the contract, and the callee serves ${oldest} and later. Generate the caller's types again.`,
  };
}
