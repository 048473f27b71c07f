import { hostedToolKinds, officialToolKinds } from '../responses/hosted-tools/index.js';
import type { HostVersion } from '../versions/specification.js';
import { createToolFactories, type ToolFactories } from '../versions/tools.js';

/** The factories of OpenAI's tools under the names of the official provider, for hosts of a version. */
export type OfficialTools<Version extends HostVersion> = ToolFactories<typeof officialToolKinds, Version>;

/** Creates the factories of OpenAI's tools under the names of the official provider. */
export const createOfficialTools = <Version extends HostVersion>(version: Version): OfficialTools<Version> =>
  createToolFactories(officialToolKinds, version);

/** The factories of `hostedTools`, for hosts of a version. */
export type HostedTools<Version extends HostVersion> = ToolFactories<typeof hostedToolKinds, Version>;

/** Creates the factories of `hostedTools`. */
/* @__NO_SIDE_EFFECTS__ */
export const createHostedTools = <Version extends HostVersion>(version: Version): HostedTools<Version> =>
  createToolFactories(hostedToolKinds, version);
