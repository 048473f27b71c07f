/** Where the bytes of a file are. */
export type FileSource =
  | { readonly type: 'base64'; readonly data: string | Uint8Array }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'id'; readonly id: string }
  | { readonly type: 'text'; readonly text: string };

/** How ids of uploaded files begin at OpenAI and at Azure. No base64 contains a hyphen. */
const fileIdPrefixes = ['file-', 'assistant-'];

/**
 * Reads the data of a file part: base64, bytes, a URL (also as a string), a file id, or the tagged forms of
 * `ai` 7. Returns `undefined` for anything else.
 */
export function toFileSource(data: unknown): FileSource | undefined {
  if (data instanceof URL) return { type: 'url', url: data.href };
  if (data instanceof Uint8Array) return { type: 'base64', data };
  if (typeof data === 'string') return fromText(data);
  return typeof data === 'object' && data !== null ? fromTagged(data) : undefined;
}

function fromText(data: string): FileSource {
  if (fileIdPrefixes.some(prefix => data.startsWith(prefix))) return { type: 'id', id: data };
  return /^(?:https?:\/\/|data:)/.test(data) ? { type: 'url', url: data } : { type: 'base64', data };
}

function fromTagged(tagged: object): FileSource | undefined {
  const { type, data, url, reference, text } = tagged as Readonly<Record<string, unknown>>;
  switch (type) {
    case 'data':
      return typeof data === 'string' || data instanceof Uint8Array ? toFileSource(data) : undefined;
    case 'url':
      return url instanceof URL || typeof url === 'string' ? { type: 'url', url: String(url) } : undefined;
    case 'reference':
      return fromReference(reference);
    case 'text':
      return typeof text === 'string' ? { type: 'text', text } : undefined;
    default:
      return undefined;
  }
}

/** An id, or one id for each provider that has the file. */
function fromReference(reference: unknown): FileSource | undefined {
  if (typeof reference === 'string') return { type: 'id', id: reference };
  if (typeof reference !== 'object' || reference === null) return undefined;
  const ids = reference as Readonly<Record<string, unknown>>;
  const id = ids.kelivo ?? ids.openai ?? Object.values(ids)[0];
  return typeof id === 'string' ? { type: 'id', id } : undefined;
}
