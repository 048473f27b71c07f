import type { Compatibility } from './compatibility.js';

/** A server that is known to take something else than OpenAI. */
interface KnownServer {
  /** The hosts that are surely this server. Without it, the profile is chosen by its name alone. */
  readonly host?: RegExp;
  readonly compatibility: Compatibility;
}

/** Replayed items as OpenAI's types write an answer, which is what these servers check them by. */
const wholeItems: Compatibility = { itemIds: 'required', messageType: true, status: true, annotations: true };

/** Tool outputs as chat completions have them: a string, and images from the user only. */
const chatOutputs: Compatibility = { toolOutput: 'string', toolImages: 'user-message' };

const KNOWN_SERVERS = {
  openai: { compatibility: {} },
  openrouter: {
    host: /(^|\.)openrouter\.ai$/,
    // https://openrouter.ai/docs/api-reference/responses-api/basic-usage, under "Required Fields"
    compatibility: wholeItems,
  },
  xai: {
    host: /^api\.x\.ai$/,
    // https://github.com/vercel/ai/issues/14678 and https://github.com/10-X-eng/vibecad/issues/4
    compatibility: { additionalProperties: false, instructionsWithPreviousResponse: false },
  },
  volcengine: {
    host: /^ark\.[\w.-]+\.(?:volces|bytepluses)\.com$/,
    // https://github.com/CherryHQ/cherry-studio/issues/18253 and https://github.com/CherryHQ/cherry-studio/issues/13144
    compatibility: { status: true, include: 'unencrypted' },
  },
  huggingface: {
    host: /^router\.huggingface\.co$/,
    // https://github.com/huggingface/responses.js/blob/main/src/schemas.ts
    compatibility: { ...chatOutputs, reasoning: false },
  },
  vllm: {
    // https://github.com/openai/codex/issues/12669 and https://github.com/vllm-project/vllm/issues/45273
    compatibility: { ...wholeItems, ...chatOutputs },
  },
  lmstudio: {
    // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2248
    compatibility: chatOutputs,
  },
  llamacpp: {
    // https://github.com/ggml-org/llama.cpp/issues/23380
    compatibility: chatOutputs,
  },
} as const satisfies Record<string, KnownServer>;

/** A server whose input is known, by name. */
export type KnownServerName = keyof typeof KNOWN_SERVERS;

export const knownServerNames = Object.keys(KNOWN_SERVERS) as KnownServerName[];

export const compatibilityByName = (name: KnownServerName): Compatibility =>
  KNOWN_SERVERS[name].compatibility;

/** The profile of the server behind a host name; OpenAI's form for hosts that are not known. */
export function compatibilityByHost(host: string): Compatibility {
  const servers: readonly KnownServer[] = Object.values(KNOWN_SERVERS);
  return servers.find(server => server.host?.test(host))?.compatibility ?? {};
}
