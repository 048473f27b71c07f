import { type PlainObject, objectOf } from '../../shared/json.js';
import { isArchive, toFilename } from '../../tool-calls/mcp-output.js';
import { toContentItems } from './tool-output.js';

/** Text in a message of the AI SDK. */
export interface McpTextPart {
  type: 'text';
  text: string;
}

/** An image, a PDF or another file in a message of the AI SDK. */
export interface McpFilePart {
  type: 'file';
  /** The content in base64. */
  data: string;
  mediaType: string;
  /** The file name in the resource's URI. @default none */
  filename?: string;
}

/** A part of a user or assistant message, in the types of `ai` 5, 6 and 7. */
export type McpContentPart = McpTextPart | McpFilePart;

/**
 * Converts content blocks of a server to parts of a message. Size and number of the parts are limited as in the result
 * of a tool.
 */
export function toContentParts(blocks: readonly unknown[]): McpContentPart[] {
  const readable = blocks.map(block =>
    objectOf(block)?.type === 'resource' ? toReadableBlock(objectOf(block)?.resource) : block,
  );
  return toContentItems(readable).map((item): McpContentPart => {
    if (item.type === 'text') return item;
    const { data, mediaType, uri } = item;
    const filename = toFilename(uri);
    return { type: 'file', data: data.data, mediaType, ...(filename !== undefined && { filename }) };
  });
}

/**
 * Returns the contents of a resource as a block that models read: text in base64 is decoded, and an archive becomes a
 * note with its URI, type and size.
 */
export function toReadableBlock(resource: unknown): PlainObject {
  const { uri, mimeType, blob }: PlainObject = objectOf(resource) ?? {};
  if (typeof blob !== 'string') return { type: 'resource', resource };
  const mediaType = typeof mimeType === 'string' ? mimeType.toLowerCase() : 'application/octet-stream';
  const text = isTextType(mediaType) ? decodeText(blob, mediaType) : undefined;
  if (text !== undefined) return { type: 'resource', resource: { uri, mimeType, text } };
  if (!isArchive(mediaType)) return { type: 'resource', resource };
  const size = Math.floor((blob.replace(/=+$/, '').length * 3) / 4);
  return {
    type: 'text',
    text: `Resource ${String(uri)} (${mediaType}, ${size} bytes): binary content omitted`,
  };
}

/** SVG images count as text, because models do not read them as images. */
const isTextType = (mediaType: string): boolean =>
  /^text\/|[/+](?:json|xml|(?:x-)?yaml|toml|javascript|x-ndjson|sql)(?:;|$)/.test(mediaType);

/** Returns undefined for invalid base64 and unknown character sets. */
function decodeText(base64: string, mediaType: string): string | undefined {
  const [, charset] = /;\s*charset="?([\w.:-]+)/.exec(mediaType) ?? [];
  try {
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return undefined;
  }
}
