import {
  CHAT_TOOL_OUTPUTS,
  COMPLETE_ITEMS,
  type Compatibility,
  ENCRYPTED_REASONING,
} from './compatibility.js';

interface KnownServer {
  /** Host names that belong to this server only. Without it, the server is selected by name. */
  readonly host?: RegExp;
  readonly compatibility: Compatibility;
}

/** The known servers, one row each, with the source of each row. */
const KNOWN_SERVERS = {
  openai: { compatibility: {} },
  openrouter: {
    host: /(^|\.)openrouter\.ai$/,
    // https://openrouter.ai/docs/api-reference/responses-api/basic-usage, under "Required Fields"
    compatibility: COMPLETE_ITEMS,
  },
  xai: {
    host: /^api\.x\.ai$/,
    // https://github.com/vercel/ai/issues/14678 and https://github.com/10-X-eng/vibecad/issues/4
    compatibility: { additionalProperties: false, instructionsWithPreviousResponse: false },
  },
  volcengine: {
    host: /^ark\.[\w.-]+\.(?:volces|bytepluses)\.com$/,
    // https://github.com/CherryHQ/cherry-studio/issues/18253 and https://github.com/CherryHQ/cherry-studio/issues/13144
    compatibility: { status: true, without: [ENCRYPTED_REASONING] },
  },
  huggingface: {
    host: /^router\.huggingface\.co$/,
    // https://github.com/huggingface/responses.js/blob/main/src/schemas.ts
    compatibility: { ...CHAT_TOOL_OUTPUTS, reasoning: false, developerRole: false },
  },
  vllm: {
    // https://github.com/openai/codex/issues/12669 and https://github.com/vllm-project/vllm/issues/45273
    compatibility: { ...COMPLETE_ITEMS, ...CHAT_TOOL_OUTPUTS, reasoning: 'text' },
  },
  lmstudio: {
    // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2248
    compatibility: CHAT_TOOL_OUTPUTS,
  },
  llamacpp: {
    // https://github.com/ggml-org/llama.cpp/issues/23380 and, for messages and reasoning, its `server-chat.cpp`
    compatibility: { ...CHAT_TOOL_OUTPUTS, messageType: true, reasoning: 'text' },
  },
} as const satisfies Record<string, KnownServer>;

/** The name of a server with known compatibility. */
export type KnownServerName = keyof typeof KNOWN_SERVERS;

export const knownServerNames = Object.keys(KNOWN_SERVERS) as KnownServerName[];

export const compatibilityByName = (name: KnownServerName): Compatibility =>
  KNOWN_SERVERS[name].compatibility;

/** Returns the compatibility of the server with a host name; that of OpenAI for unknown hosts. */
export function compatibilityByHost(host: string): Compatibility {
  const servers: readonly KnownServer[] = Object.values(KNOWN_SERVERS);
  return servers.find(server => server.host?.test(host))?.compatibility ?? {};
}
