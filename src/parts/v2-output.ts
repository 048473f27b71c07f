type Fields = Readonly<Record<string, unknown>>;

/**
 * The output of a tool in the form of version 2 of the model interface, where it has one there. `ai` 6 and 7 spell the
 * media of an output in other ways and tell a call that the user refused apart from one that failed. Media that are
 * elsewhere, at an address or under an id, have no such form and stay as they are.
 */
export function toV2Output(output: unknown): unknown {
  const { type, value, reason, ...rest }: Fields = Object(output);
  if (type === 'execution-denied') {
    const told =
      typeof reason === 'string' && reason !== '' ? reason : 'The user did not allow this tool call.';
    return { ...rest, type: 'error-text', value: told };
  }
  if (type === 'content' && Array.isArray(value)) return { ...rest, type, value: value.map(toV2Item) };
  return output;
}

function toV2Item(item: unknown): unknown {
  const fields: Fields = Object(item);
  switch (fields.type) {
    case 'image-data':
    case 'file-data':
      return { ...fields, type: 'media' };
    case 'file': {
      const { type, data, text }: Fields = Object(fields.data);
      if (type === 'text') return { type: 'text', text };
      return type === 'data' ? { ...fields, type: 'media', data } : item;
    }
    default:
      return item;
  }
}
