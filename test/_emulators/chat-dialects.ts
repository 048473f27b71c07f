import { type ApiError, toErrorBody } from '../../src/testing/api-errors.js';
import { type PlainObject, objectsOf } from '../../src/shared/json.js';
import { toChunks, toWords } from '../../src/testing/response.js';
import { toModelKind } from '../../src/testing/request.js';
import type { FunctionCallItem } from '../../src/testing/wire.js';
import { validateChatRequest } from './chat-validation.js';
import type { RequestRules } from '../../src/testing/scripts.js';
import { validateMistral } from '../../src/testing/mistral-rules.js';

/** An answer in the parts that a chat completion has. */
export interface Completion {
  readonly id: string;
  readonly created: number;
  readonly model: unknown;
  readonly content: string;
  readonly refusal: string;
  readonly reasoning: string;
  readonly calls: readonly FunctionCallItem[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  readonly usage: PlainObject | undefined;
}

/** How a server words a chat completion and what it objects to. */
export interface ChatDialect {
  /** The first thing the server would object to. */
  validate(body: PlainObject): ApiError | undefined;
  /** The message of an answer that is not streamed. */
  toMessage(completion: Completion): PlainObject;
  /** The chunks of a stream, without the fields that all have in common. */
  toChunks(completion: Completion, options: { includeUsage: boolean }): PlainObject[];
  /** The body of an error, which is also what a stream ends with when it fails. */
  toErrorBody(error: Omit<ApiError, 'status'>): PlainObject;
}

/** A chunk with one step of the message; `finishReason` tells that it was the last. */
export const toChunk = (delta: PlainObject, finishReason: string | null = null): PlainObject => ({
  choices: [{ index: 0, delta, finish_reason: finishReason }],
});

/** Chat completions as OpenAI gives them, with the `reasoning_content` that compatible servers add. */
export const openaiDialect: ChatDialect = {
  validate: validateChatRequest,

  toMessage: completion => ({
    role: 'assistant',
    content: completion.content || null,
    refusal: completion.refusal || null,
    ...(showsReasoning(completion) && { reasoning_content: completion.reasoning }),
    ...(completion.calls.length > 0 && { tool_calls: completion.calls.map(toToolCall) }),
  }),

  toChunks: (completion, { includeUsage }) => {
    const chunks = [
      ...toDeltas(completion).map(delta => toChunk(delta)),
      toChunk({}, completion.finishReason),
    ];
    if (!includeUsage) return chunks;
    const usage = completion.usage ?? null;
    return [...chunks.map(chunk => ({ ...chunk, usage: null })), { choices: [], usage }];
  },

  toErrorBody,
};

function toDeltas(completion: Completion): PlainObject[] {
  const { content, refusal, reasoning, calls } = completion;
  return [
    { role: 'assistant', content: calls.length > 0 && content === '' ? null : '', refusal: null },
    ...(showsReasoning(completion) ? toWords(reasoning).map(word => ({ reasoning_content: word })) : []),
    ...toWords(content).map(word => ({ content: word })),
    ...toWords(refusal).map(word => ({ refusal: word })),
    ...calls.flatMap((call, index) =>
      toCallDeltas(call).map(delta => ({ tool_calls: [{ index, ...delta }] })),
    ),
  ];
}

function toCallDeltas(call: FunctionCallItem): PlainObject[] {
  const { function: called, ...head } = toToolCall(call);
  return [
    { ...head, function: { ...called, arguments: '' } },
    ...toChunks(called.arguments).map(chunk => ({ function: { arguments: chunk } })),
  ];
}

const toToolCall = ({ call_id: id, name, arguments: input }: FunctionCallItem) => ({
  id,
  type: 'function',
  function: { name, arguments: input },
});

/** OpenAI's own models reason in secret here. */
const showsReasoning = ({ model, reasoning }: Completion): boolean =>
  reasoning !== '' && toModelKind(String(model)) === 'unknown';

/** Chat completions as the Mistral API gives them. */
export const toMistralDialect = (rules: Exclude<RequestRules, 'openai'>): ChatDialect => ({
  validate: ({ messages, tools }) => validateMistral(objectsOf(messages), { tools: objectsOf(tools), rules }),

  toMessage: ({ content, reasoning, calls }) => ({
    role: 'assistant',
    content: reasoning === '' ? content : [toThinking(reasoning), { type: 'text', text: content }],
    tool_calls: calls.length > 0 ? calls.map(toMistralToolCall) : null,
  }),

  toChunks: ({ content, reasoning, calls, finishReason, usage }) => [
    toChunk({ role: 'assistant', content: '' }),
    ...toWords(reasoning).map(word => toChunk({ content: [toThinking(word)] })),
    ...toWords(content).map(word => toChunk({ content: word })),
    {
      // Calls come whole, and with the end; so does the usage, asked for or not.
      ...toChunk(
        { content: '', ...(calls.length > 0 && { tool_calls: calls.map(toMistralToolCall) }) },
        finishReason,
      ),
      ...(usage && { usage }),
    },
  ],

  toErrorBody: toMistralErrorBody,
});

const toMistralErrorBody = ({ message, type, param, code }: Omit<ApiError, 'status'>): PlainObject => ({
  object: 'error',
  message,
  type,
  param,
  code,
});

const toThinking = (text: string): PlainObject => ({ type: 'thinking', thinking: [{ type: 'text', text }] });

const toMistralToolCall = (
  { call_id: id, name, arguments: input }: FunctionCallItem,
  index: number,
): PlainObject => ({
  id,
  function: { name, arguments: input },
  index,
});
