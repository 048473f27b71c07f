import { objectsOf, type PlainObject } from '../../shared/json.js';
import { type ApiError, unknownParameter } from '../protocol/errors.js';
import type { ItemMemory } from '../protocol/memory.js';
import { type ResponsesRequest, toItemType } from '../protocol/request.js';
import type { RawItem } from '../protocol/wire.js';
import {
  charactersPerToken,
  createEncryptedContent,
  createId,
  estimateTokens,
  toPromptText,
  toUsage,
} from './response.js';

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
  encrypted_content: createEncryptedContent(),
});

/** Returns the API's error for the parameters of `POST /responses/compact`. */
export function validateCompact(body: PlainObject): ApiError | undefined {
  const name = Object.keys(body).find(key => !parameters.has(key));
  return name === undefined ? undefined : unknownParameter(name);
}

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
      id,
      createdAt,
      status: 'completed',
      usage: null,
      echo: {},
      output: [{ type: 'raw', item: compaction }],
    },
    { items, store: false },
  );
  const messages = items.filter(item => toItemType(item) === 'message' && item.role === 'user');
  return {
    id,
    object: 'response.compaction',
    created_at: createdAt,
    output: [...messages.map(toCompleteMessage), compaction],
    usage: toUsage(estimateTokens(toPromptText(request)), {
      outputTokens: estimateTokens(String(compaction.encrypted_content)),
    }),
  };
}

/** Adds the fields that a message of the input may omit. */
function toCompleteMessage({ id = createId('msg'), content, ...message }: PlainObject): PlainObject {
  const parts =
    typeof content === 'string'
      ? [{ type: 'input_text', text: content }]
      : objectsOf(content).map(part => (part.type === 'input_image' ? { detail: 'auto', ...part } : part));
  return { type: 'message', id, status: 'completed', ...message, content: parts };
}
