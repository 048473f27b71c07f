import type { RejectionText } from './rejection-text.js';

/** Differences between the input that an endpoint accepts and the one that OpenAI accepts. All settings are optional. */
export interface Compatibility {
  /**
   * `required` adds an id to each replayed message, call, output and reasoning item that has none, the same in every
   * request. `omit` adds no ids; the setting `missingReasoning` determines which existing ids are kept.
   * OpenRouter requires ids: https://github.com/openai/codex/issues/12114
   * @default 'omit'
   */
  readonly itemIds?: 'omit' | 'required';
  /**
   * Sends `type: "message"` with messages. Open Responses requires it, as vLLM and some gateways do
   * (https://github.com/CherryHQ/cherry-studio/issues/10477); other servers do not know the field.
   * @default true
   */
  readonly messageType?: boolean;
  /**
   * Sends instructions with the role `developer` to models that have it; otherwise they have the role `system`. Hugging
   * Face accepts the role and omits the message: https://github.com/huggingface/responses.js/blob/main/src/schemas.ts
   * @default true
   */
  readonly developerRole?: boolean;
  /**
   * Adds `status: "completed"` to the items of the model. Doubao rejects the second turn without it:
   * https://github.com/CherryHQ/cherry-studio/issues/18253
   * @default false
   */
  readonly status?: boolean;
  /**
   * Adds an empty list of annotations to replayed text. vLLM and other servers that validate with OpenAI's types
   * require it: https://github.com/BerriAI/litellm/issues/35213
   * @default false
   */
  readonly annotations?: boolean;
  /**
   * `any` sends the output of a tool as a string or as a list of texts, images and files; `string` sends a string and
   * replaces files with a notice. LM Studio accepts strings only:
   * https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2248
   * @default 'any'
   */
  readonly toolOutput?: 'any' | 'string';
  /**
   * Position of the images of a tool's output: inside the output (`output`), in a user message after it
   * (`user-message`), or omitted with a notice (`text`, and `output` if outputs are strings).
   * Many gateways accept images only in user messages: https://github.com/earendil-works/pi/issues/9518
   * @default 'output'
   */
  readonly toolImages?: 'output' | 'user-message' | 'text';
  /**
   * Sends images. Without it, a text replaces each of them. It is learned for models that reject images in two conversations.
   * @default true
   */
  readonly images?: boolean;
  /**
   * Replays reasoning as OpenAI returns it, encrypted or stored (`true`), as plain text in `content` (`text`), or not at
   * all. Reasoning in another form is omitted with a warning. llama.cpp and vLLM require plain text and reject encrypted
   * reasoning: https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/responses/utils.py. Hugging Face
   * has no reasoning among its input items: https://github.com/huggingface/responses.js/blob/main/src/schemas.ts
   * @default true
   */
  readonly reasoning?: boolean | 'text';
  /**
   * Levels of `reasoning.effort` that are accepted. Another level is replaced by the next lower one, or else by the lowest.
   * @default any
   */
  readonly efforts?: readonly string[];
  /**
   * Sends `additionalProperties: false` in tool schemas. xAI rejected it for a time and assumes it anyway:
   * https://github.com/vercel/ai/issues/14678
   * @default true
   */
  readonly additionalProperties?: boolean;
  /**
   * Sends `instructions` together with `previous_response_id`; otherwise instructions become a system message.
   * xAI rejects both together: https://github.com/10-X-eng/vibecad/issues/4
   * @default true
   */
  readonly instructionsWithPreviousResponse?: boolean;
  /**
   * Request fields that are not sent, by their wire names, for example `temperature` or `text.verbosity`. `input.phase` is
   * a field of input items, `include.message.output_text.logprobs` a value of a list, `tools.search` a function. The Codex backend rejects
   * `max_output_tokens`: https://github.com/RayBytes/ChatMock/issues/103. Volcengine has no encrypted reasoning
   * (`include.reasoning.encrypted_content`): https://github.com/CherryHQ/cherry-studio/issues/13144
   * @default none
   */
  readonly without?: readonly string[];
}

/** Complete replayed items, for servers that validate them with OpenAI's types for responses. */
export const COMPLETE_ITEMS: Compatibility = {
  itemIds: 'required',
  messageType: true,
  status: true,
  annotations: true,
};

/** Tool outputs as in chat completions: a string, and images in user messages only. */
export const CHAT_TOOL_OUTPUTS: Compatibility = { toolOutput: 'string', toolImages: 'user-message' };

/** Merges two compatibilities. The second one wins; fields that either omits stay omitted. */
export function mergeCompatibility(base: Compatibility, override: Compatibility): Compatibility {
  const without = [...new Set([...(base.without ?? []), ...(override.without ?? [])])];
  return { ...base, ...override, ...(without.length > 0 && { without }) };
}

/** The value of `include` that this package adds itself, which servers without encrypted reasoning reject. */
export const ENCRYPTED_REASONING = 'include.reasoning.encrypted_content';

export interface KnownServer {
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
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly responseId?: string | undefined;
  /** `owned_by` of the model. */
  readonly owner?: string | undefined;
}

/** Returns the server that a response shows. Proxies remove headers, so that each fact suffices. */
export function serverOf(evidence: ServerEvidence): KnownServer | undefined {
  const name = evidence.headers?.server ?? '';
  return SERVERS.find(
    server =>
      server.header?.test(name) === true ||
      (evidence.owner !== undefined && server.owner === evidence.owner) ||
      (evidence.responseId !== undefined && server.responseId?.test(evidence.responseId) === true),
  );
}

/** Returns the server whose words an error contains. */
export const serverOfRejection = (rejection: RejectionText): KnownServer | undefined =>
  SERVERS.find(server => server.texts?.some(text => rejection.match(text) !== undefined));

/** The compatibilities that the owner of a model shows. */
export const compatibilitiesByOwner = (): Compatibility[] =>
  SERVERS.flatMap(server => (server.owner === undefined ? [] : [server.compatibility]));
