/** One displayable part of a tool output. */
export type OutputPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly url: string }
  | { readonly kind: 'audio'; readonly url: string }
  | { readonly kind: 'json'; readonly value: unknown };

/** Splits the output of a local tool or an MCP server into displayable parts. */
export function toOutputParts(output: unknown): OutputPart[] {
  if (typeof output === 'string') return [{ kind: 'text', text: output }];
  if (isRecord(output) && Array.isArray(output.content)) {
    const parts = output.content.map(toOutputPart);
    return output.structuredContent === undefined
      ? parts
      : [...parts, { kind: 'json', value: output.structuredContent }];
  }
  return [{ kind: 'json', value: output }];
}

function toOutputPart(part: unknown): OutputPart {
  if (!isRecord(part)) return { kind: 'json', value: part };
  // A resource that a tool of an MCP server embeds in its result.
  const { resource } = part;
  if (isRecord(resource) && typeof resource.blob === 'string') {
    const media = toOutputPart({ data: resource.blob, mimeType: resource.mimeType });
    return media.kind === 'json' ? { kind: 'json', value: part } : media;
  }
  const { type, text, data, mimeType, mediaType } = part;
  if (type === 'text' && typeof text === 'string') return { kind: 'text', text };
  const media = mimeType ?? mediaType;
  if (typeof data === 'string' && typeof media === 'string') {
    const url = `data:${media};base64,${data}`;
    // SVG images are excluded, because they can contain scripts.
    if (/^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(media)) return { kind: 'image', url };
    if (media.startsWith('audio/')) return { kind: 'audio', url };
  }
  return { kind: 'json', value: part };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
