import type { HostVersion } from './specification.js';
import type { VersionName } from './versions.js';

/** What the models of `@ai-sdk/openai` send of a history, by their version. */
export interface OfficialTraits {
  /** The major of the package. */
  readonly major: number;
  /** True if they send compactions in `custom` parts. */
  readonly sendsCompactions: boolean;
  /** True if they know hosted MCP servers and the approval of their calls. */
  readonly hasHostedServers: boolean;
  /** True if they read the call option `reasoning`. */
  readonly readsReasoning: boolean;
  /**
   * True if they send every call of the host as a function call with its item id, and refer to hosted calls by their call
   * id. Others refer to the item of a hosted call and to that of its result.
   */
  readonly refersByCallId: boolean;
  /** Hosted tools whose results are sent with `store: false`, too. */
  readonly rebuiltResults: RegExp;
}

const NONE = /^$/;
const REBUILT = /^(?:web_search(?:_preview)?|tool_search|shell|programmatic_tool_calling)$/;

const OFFICIAL_TRAITS: Readonly<Record<string, OfficialTraits>> &
  Readonly<Record<HostVersion, OfficialTraits>> = {
  v2: {
    major: 2,
    sendsCompactions: false,
    hasHostedServers: false,
    readsReasoning: false,
    refersByCallId: true,
    rebuiltResults: NONE,
  },
  v3: {
    major: 3,
    sendsCompactions: false,
    hasHostedServers: true,
    readsReasoning: false,
    refersByCallId: false,
    rebuiltResults: REBUILT,
  },
  v4: {
    major: 4,
    sendsCompactions: true,
    hasHostedServers: true,
    readsReasoning: true,
    refersByCallId: false,
    rebuiltResults: REBUILT,
  },
};

/** Returns the traits of a version, which are those of the newest one by default. */
export const officialTraitsOf = (version: VersionName): OfficialTraits =>
  OFFICIAL_TRAITS[version] ?? OFFICIAL_TRAITS.v4;
