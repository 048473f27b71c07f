/** What a tool gave, in pieces that can be shown. */
export type OutputPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly url: string }
  | { readonly kind: 'audio'; readonly url: string }
  | { readonly kind: 'json'; readonly value: unknown };

/** Takes apart the output of a local tool or of an MCP server. */
export function toOutputPieces(output: unknown): OutputPiece[] {
  if (typeof output === 'string') return [{ kind: 'text', text: output }];
  if (isRecord(output) && Array.isArray(output.content)) {
    const pieces = output.content.map(toPiece);
    return output.structuredContent === undefined
      ? pieces
      : [...pieces, { kind: 'json', value: output.structuredContent }];
  }
  return [{ kind: 'json', value: output }];
}

function toPiece(part: unknown): OutputPiece {
  if (!isRecord(part)) return { kind: 'json', value: part };
  const { type, text, data, mimeType, mediaType } = part;
  if (type === 'text' && typeof text === 'string') return { kind: 'text', text };
  const media = mimeType ?? mediaType;
  if (typeof data === 'string' && typeof media === 'string') {
    const url = `data:${media};base64,${data}`;
    // Pictures made of scripts stay text.
    if (/^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(media)) return { kind: 'image', url };
    if (media.startsWith('audio/')) return { kind: 'audio', url };
  }
  return { kind: 'json', value: part };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
