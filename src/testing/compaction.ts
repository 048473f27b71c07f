import { type ApiError, findFirstError, unknownParameter } from './api-errors.js';
import { objectsOf, type PlainObject } from '../shared/json.js';
import { toItemType, type ResponsesRequest } from './request.js';
import { charactersPerToken, createId, estimateTokens, toPromptText } from './response.js';
import type { ItemMemory } from './state.js';
import type { RawItem } from './wire.js';
import { randomBytes } from 'node:crypto';

/** Returns a compaction item if the prompt exceeds the request's threshold. */
export function toCompaction(request: ResponsesRequest): RawItem[] {
  const threshold = objectsOf(request.body.context_management).find(
    ({ type }) => type === 'compaction',
  )?.compact_threshold;
  const tokens = toPromptText(request).length / charactersPerToken;
  return typeof threshold === 'number' && tokens >= threshold ? [createCompaction()] : [];
}

export const createCompaction = (): RawItem => ({
  type: 'compaction',
  id: createId('cmp'),
  encrypted_content: `gAAAAA${randomBytes(96).toString('base64url')}`,
});

/** Returns the API's error for the parameters of `POST /responses/compact`. */
export const validateCompact = (body: PlainObject): ApiError | undefined =>
  findFirstError(body, [
    fields => {
      const name = Object.keys(fields).find(key => !parameters.has(key));
      return name === undefined ? undefined : unknownParameter(name);
    },
  ]);

const parameters = new Set([
  'image',
  'input',
  'instructions',
  'model',
  'previous_response_id',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier',
]);

/** Compacts a conversation: keeps the messages of the user, and replaces everything else by one item. */
export function compact(request: ResponsesRequest, { memory }: { memory: ItemMemory }): PlainObject {
  const { items } = request;
  const compaction = createCompaction();
  const id = createId('resp');
  const createdAt = Math.floor(Date.now() / 1000);
  memory.remember(
    {
      ...{ id, createdAt, status: 'completed', usage: null, echo: {} },
      output: [{ type: 'raw', item: compaction }],
    },
    { items, store: false },
  );
  const inputTokens = estimateTokens(toPromptText(request));
  const outputTokens = estimateTokens(String(compaction.encrypted_content));
  const messages = items.filter(item => toItemType(item) === 'message' && item.role === 'user');
  return {
    ...{ id, object: 'response.compaction', created_at: createdAt },
    output: [...messages.map(message => ({ type: 'message', ...message })), compaction],
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + outputTokens,
    },
  };
}
