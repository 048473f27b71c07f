/** What the input of an endpoint takes, where it takes less than OpenAI's or asks for more. All of it is optional. */
export interface Compatibility {
  /**
   * Whether replayed messages, calls, outputs and reasoning must have an id. `required` makes one up for each item that
   * has none, the same in every request; `omit` leaves them as `missingReasoning` has them.
   * OpenRouter asks for them: https://github.com/openai/codex/issues/12114
   * @default 'omit'
   */
  readonly itemIds?: 'omit' | 'required';
  /**
   * Whether messages say `type: "message"`. vLLM and some gateways want it:
   * https://github.com/CherryHQ/cherry-studio/issues/10477
   * @default false
   */
  readonly messageType?: boolean;
  /**
   * Whether what the model wrote says `status: "completed"`. Doubao refuses the second turn otherwise:
   * https://github.com/CherryHQ/cherry-studio/issues/18253
   * @default false
   */
  readonly status?: boolean;
  /**
   * Whether replayed text has a list of annotations, an empty one. vLLM and others that validate by OpenAI's types
   * want it: https://github.com/BerriAI/litellm/issues/35213
   * @default false
   */
  readonly annotations?: boolean;
  /**
   * Whether the output of a tool may be a list of texts, images and files, or is a string always. Files in it then
   * become a note. LM Studio takes strings only: https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2248
   * @default 'any'
   */
  readonly toolOutput?: 'any' | 'string';
  /**
   * Where the images of a tool's output go: they stay in it (`output`), move to a user message behind it
   * (`user-message`), or become a note that one was left out (`text`, and `output` where outputs are strings).
   * Many gateways look at images of users only: https://github.com/earendil-works/pi/issues/9518
   * @default 'output'
   */
  readonly toolImages?: 'output' | 'user-message' | 'text';
  /**
   * Whether reasoning is replayed. Hugging Face has no reasoning among its input items:
   * https://github.com/huggingface/responses.js/blob/main/src/schemas.ts
   * @default true
   */
  readonly reasoning?: boolean;
  /**
   * Whether `include` may ask for anything, for all but encrypted reasoning (`unencrypted`), or is not known (`none`).
   * Volcengine does not know encrypted reasoning: https://github.com/CherryHQ/cherry-studio/issues/13144
   * @default 'any'
   */
  readonly include?: 'any' | 'unencrypted' | 'none';
  /**
   * Whether the schemas of tools may say `additionalProperties: false`. xAI refused it for a time, and takes it for
   * granted: https://github.com/vercel/ai/issues/14678
   * @default true
   */
  readonly additionalProperties?: boolean;
  /**
   * Whether `instructions` may stand beside `previous_response_id`; they are sent as a system message otherwise.
   * xAI refuses both together: https://github.com/10-X-eng/vibecad/issues/4
   * @default true
   */
  readonly instructionsWithPreviousResponse?: boolean;
  /**
   * Fields of the request that are not sent, by their names on the wire, for example `temperature` or
   * `text.verbosity`. The Codex backend refuses `max_output_tokens`: https://github.com/RayBytes/ChatMock/issues/103
   * @default none
   */
  readonly without?: readonly string[];
}

/** The second profile laid over the first. What either leaves out of a request stays out. */
export function mergeCompatibility(base: Compatibility, over: Compatibility): Compatibility {
  const without = [...new Set([...(base.without ?? []), ...(over.without ?? [])])];
  return { ...base, ...over, ...(without.length > 0 && { without }) };
}
