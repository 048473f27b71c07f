import {
  CHAT_TOOL_OUTPUTS,
  COMPLETE_ITEMS,
  type Compatibility,
  ENCRYPTED_REASONING,
} from './compatibility.js';

interface KnownServer {
  /** Host names that belong to this server only. */
  readonly host?: RegExp;
  /** The header `Server` of its responses. */
  readonly header?: RegExp;
  /** Ids of responses that no other server creates. */
  readonly responseId?: RegExp;
  /** Texts of errors that no other server sends. */
  readonly texts?: readonly RegExp[];
  /** `owned_by` of its models. */
  readonly owner?: string;
  readonly compatibility: Compatibility;
}

/** The known servers, one row each, with the source of each row. */
const KNOWN_SERVERS = {
  openai: { compatibility: {} },
  openrouter: {
    host: /(^|\.)openrouter\.ai$/,
    responseId: /^gen-\d{10}-/,
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
    owner: 'vllm',
    // Its validation names its own types.
    texts: [/ResponseOutputMessageParam/],
    // https://github.com/openai/codex/issues/12669 and https://github.com/vllm-project/vllm/issues/45273
    compatibility: { ...COMPLETE_ITEMS, ...CHAT_TOOL_OUTPUTS, reasoning: 'text' },
  },
  lmstudio: {
    // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2248
    compatibility: CHAT_TOOL_OUTPUTS,
  },
  llamacpp: {
    header: /^llama\.cpp(?:\/[\w.-]+)?$/i,
    owner: 'llamacpp',
    texts: [/item\['\w+'\] is (?:not an array|empty)/, /Cannot determine type of 'item'/],
    // `server-chat.cpp` of https://github.com/ggml-org/llama.cpp. Tool outputs may be lists since 0.7.
    compatibility: { messageType: true, reasoning: 'text' },
  },
} as const satisfies Record<string, KnownServer>;

/** The name of a server with known compatibility. */
export type KnownServerName = keyof typeof KNOWN_SERVERS;

export const knownServerNames = Object.keys(KNOWN_SERVERS) as KnownServerName[];

export const compatibilityByName = (name: KnownServerName): Compatibility =>
  KNOWN_SERVERS[name].compatibility;

const SERVERS: readonly KnownServer[] = Object.values(KNOWN_SERVERS);

/** Returns the compatibility of the server with a host name. Undefined for other hosts. */
export const compatibilityByHost = (host: string): Compatibility | undefined =>
  SERVERS.find(server => server.host?.test(host))?.compatibility;

/** The facts of a response that may show which server sent it. */
export interface ServerEvidence {
  /** The headers of the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly responseId?: string | undefined;
  /** The text of an error. */
  readonly error?: string | undefined;
  /** `owned_by` of the model. */
  readonly owner?: string | undefined;
}

/** The server of one model, which its responses have shown. */
export interface ServerRecognition {
  /** Undefined for an unknown server. */
  readonly compatibility: Compatibility | undefined;
  /** True after the server was asked for its models. */
  isAsked: boolean;
  /** Takes over what a response shows. */
  see(evidence: ServerEvidence): void;
}

/**
 * Recognizes the servers of one address by their responses. Behind an address, each model may have its own server. A model
 * that has not answered yet counts as one of the server that all others have.
 */
export function createServerRecognition(): (modelId: string) => ServerRecognition {
  const byModel = new Map<string, KnownServer | undefined>();
  return modelId => ({
    isAsked: false,
    get compatibility() {
      const [first, ...others] = new Set(byModel.values());
      const server = byModel.has(modelId) || others.length > 0 ? byModel.get(modelId) : first;
      return server?.compatibility;
    },
    see(evidence) {
      const server = serverOf(evidence);
      if (server !== undefined || !byModel.has(modelId)) byModel.set(modelId, server);
    },
  });
}

/** Proxies remove headers, so that each fact suffices. */
function serverOf({ headers, responseId, error, owner }: ServerEvidence): KnownServer | undefined {
  const name = headers?.server ?? '';
  return SERVERS.find(
    server =>
      server.header?.test(name) === true ||
      (owner !== undefined && server.owner === owner) ||
      (responseId !== undefined && server.responseId?.test(responseId) === true) ||
      (error !== undefined && server.texts?.some(text => text.test(error)) === true),
  );
}

/** The compatibilities that the owner of a model shows. */
export const compatibilitiesByOwner = (): Compatibility[] =>
  SERVERS.flatMap(({ owner, compatibility }) => (owner === undefined ? [] : [compatibility]));
