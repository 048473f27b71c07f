import { toErrorBody } from '../api-error.js';
import { toPieces, toWords } from '../cut-text.js';
import type { JsonObject } from '../json-object.js';
import { toModelKind } from '../model-kind.js';
import type { FunctionCallItem } from '../wire.js';
import { type ChatDialect, toChunk } from './chat-dialect.js';
import type { Completion } from './to-completion.js';
import { validateChatRequest } from './validate-chat-request.js';

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

function toDeltas(completion: Completion): JsonObject[] {
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

function toCallDeltas(call: FunctionCallItem): JsonObject[] {
  const { function: called, ...head } = toToolCall(call);
  return [
    { ...head, function: { ...called, arguments: '' } },
    ...toPieces(called.arguments).map(piece => ({ function: { arguments: piece } })),
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
