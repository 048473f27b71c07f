import { KelivoError } from '../shared/errors.js';
import { v2 } from './v2.js';
import { v3 } from './v3.js';
import { v4 } from './v4.js';
import type { Version } from './version.js';

/** The supported versions of the model interface. */
export const VERSIONS = {
  v2,
  v3,
  v4,
} satisfies Readonly<Record<string, Version>>;

/** The name of a supported version. Those with an entry of the package are a `HostVersion`. */
export type VersionName = keyof typeof VERSIONS;

/**
 * Returns the version of a model.
 *
 * @throws KelivoError with code `unknown-version` for a version that this package does not support.
 */
export function versionOf({
  specificationVersion,
  provider,
  modelId,
}: {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}): VersionName {
  if (Object.hasOwn(VERSIONS, specificationVersion)) return specificationVersion as VersionName;
  throw new KelivoError({
    code: 'unknown-version',
    message:
      `Expected a language model of version ${Object.keys(VERSIONS).join(', ')}, got version ` +
      `"${String(specificationVersion)}" of "${modelId}" (${provider}). Install a release of the model's package that fits ` +
      'the installed major of `ai`, or a newer release of kelivo-responses.',
  });
}
