import { type ApiError, type FunctionCallItem, toErrorBody } from '../../src/testing/protocol/wire.js';
import { type PlainObject, objectsOf } from '../../src/core/shared/json.js';
import { toChunks, toWords } from '../../src/testing/delivery/events.js';
import { toModelKind } from '../../src/testing/protocol/request.js';
import { validateChatRequest } from './chat-validation.js';
import { type MistralRules, validateMistral } from './mistral-rules.js';

/** The fields of a chat completion. */
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

/** Format and validation of a server's chat completions. */
export interface ChatDialect {
  /** Returns the server's first error for a request. */
  validate(body: PlainObject): ApiError | undefined;
  /** Creates the message of a response that is not streamed. */
  toMessage(completion: Completion): PlainObject;
  /** Creates the chunks of a stream, without the fields that all chunks share. */
  toChunks(completion: Completion, options: { includeUsage: boolean }): PlainObject[];
  /** Creates the body of an error, which also ends a failed stream. */
  toErrorBody(error: Omit<ApiError, 'status'>): PlainObject;
}

/** Creates a chunk with one delta; `finishReason` marks the last one. */
const toChunk = (delta: PlainObject, finishReason: string | null = null): PlainObject => ({
  choices: [{ index: 0, delta, finish_reason: finishReason }],
});

/** Chat completions of OpenAI, with the `reasoning_content` that compatible servers add. */
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

/** OpenAI models return no reasoning in chat completions. */
const showsReasoning = ({ model, reasoning }: Completion): boolean =>
  reasoning !== '' && toModelKind(String(model)) === 'unknown';

/** Chat completions of the Mistral API. */
export const toMistralDialect = (rules: MistralRules): ChatDialect => ({
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
      // The last chunk contains the complete calls and the usage, requested or not.
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
