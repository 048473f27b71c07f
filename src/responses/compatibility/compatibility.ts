/**
 * Differences between the input that an endpoint accepts and the one that OpenAI accepts. All settings are optional.
 */
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
   * Sends images. Without it, a text replaces each of them. It is learned for models that reject images.
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
