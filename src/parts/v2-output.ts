import { isPlainObject, objectOf } from '../shared/json.js';

/**
 * Converts the output of a tool to version 2 of the model interface. `ai` 6 and 7 have other types for media, and a
 * separate type for calls that the user refused. Media that are referenced by URL or id have no equivalent in version 2
 * and are unchanged.
 */
export function toV2Output(output: unknown): unknown {
  if (!isPlainObject(output)) return output;
  const { type, value, reason, ...rest } = output;
  if (type === 'execution-denied') {
    const text =
      typeof reason === 'string' && reason !== '' ? reason : 'The user did not allow this tool call.';
    return { ...rest, type: 'error-text', value: text };
  }
  if (type === 'content' && Array.isArray(value)) return { ...rest, type, value: value.map(toV2Item) };
  return output;
}

function toV2Item(item: unknown): unknown {
  if (!isPlainObject(item)) return item;
  switch (item.type) {
    case 'image-data':
    case 'file-data':
      return { ...item, type: 'media' };
    case 'file': {
      const { type, data, text } = objectOf(item.data) ?? {};
      if (type === 'text') return { type: 'text', text };
      return type === 'data' ? { ...item, type: 'media', data } : item;
    }
    default:
      return item;
  }
}
