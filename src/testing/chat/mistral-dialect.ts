import type { ApiError } from '../api-error.js';
import { toWords } from '../cut-text.js';
import type { JsonObject } from '../json-object.js';
import { toJsonObjects } from '../json-object.js';
import type { RequestRules } from '../request-rules.js';
import type { FunctionCallItem } from '../wire.js';
import { type ChatDialect, toChunk } from './chat-dialect.js';
import { validateMistral } from './validate-mistral.js';

/** Chat completions as the Mistral API gives them. */
export const toMistralDialect = (rules: Exclude<RequestRules, 'openai'>): ChatDialect => ({
  validate: ({ messages, tools }) =>
    validateMistral(toJsonObjects(messages), { tools: toJsonObjects(tools), rules }),

  toMessage: ({ content, reasoning, calls }) => ({
    role: 'assistant',
    content: reasoning === '' ? content : [toThinking(reasoning), { type: 'text', text: content }],
    tool_calls: calls.length > 0 ? calls.map(toToolCall) : null,
  }),

  toChunks: ({ content, reasoning, calls, finishReason, usage }) => [
    toChunk({ role: 'assistant', content: '' }),
    ...toWords(reasoning).map(word => toChunk({ content: [toThinking(word)] })),
    ...toWords(content).map(word => toChunk({ content: word })),
    {
      // Calls come whole, and with the end; so does the usage, asked for or not.
      ...toChunk(
        { content: '', ...(calls.length > 0 && { tool_calls: calls.map(toToolCall) }) },
        finishReason,
      ),
      ...(usage && { usage }),
    },
  ],

  toErrorBody: toMistralErrorBody,
});

const toMistralErrorBody = ({ message, type, param, code }: Omit<ApiError, 'status'>): JsonObject => ({
  object: 'error',
  message,
  type,
  param,
  code,
});

const toThinking = (text: string): JsonObject => ({ type: 'thinking', thinking: [{ type: 'text', text }] });

const toToolCall = (
  { call_id: id, name, arguments: input }: FunctionCallItem,
  index: number,
): JsonObject => ({
  id,
  function: { name, arguments: input },
  index,
});
