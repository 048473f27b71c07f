import { type ApiError, badRequest } from './api-error.js';
import type { ItemMemory } from './item-memory.js';
import type { JsonObject } from './json-object.js';
import { toInputItems } from './to-request.js';

/**
 * The whole conversation of a request: what `previous_response_id` stands for, then the input, with each
 * `item_reference` replaced by its item where it is known.
 */
export function expandInput(
  body: JsonObject,
  { memory }: { memory: ItemMemory },
): { items: readonly JsonObject[]; error?: ApiError } {
  const input = toInputItems(body.input).map(item =>
    item.type === 'item_reference' ? (memory.findItem(String(item.id)) ?? item) : item,
  );
  const previous = body.previous_response_id;
  if (typeof previous !== 'string') return { items: input };
  const conversation = memory.findConversation(previous);
  if (conversation !== undefined) return { items: [...conversation, ...input] };
  const error = badRequest(`Previous response with id '${previous}' not found.`, {
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  });
  return { items: input, error };
}
