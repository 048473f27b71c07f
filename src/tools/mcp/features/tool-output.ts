import {
  asJson,
  isPlainObject,
  type JSONObject,
  objectOf,
  type PlainObject,
} from '../../../core/shared/json.js';
import {
  type ContentItem,
  isArchive,
  type McpResultDetails,
  toContentItem,
  toFilename,
  toModelOutput,
} from '../../../core/tool-calls/mcp-output.js';
import type { ToolOutput } from '../../tool-source.js';
import { isWithinBounds } from '../transport/untrusted-input.js';

/** The result of `tools/call`. All fields are optional because servers differ. */
export interface CallResult {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  /** The result in the protocol revision of October 2024. */
  readonly toolResult?: unknown;
  readonly _meta?: unknown;
}

/**
 * Returns the result that servers of the oldest protocol revision put into `toolResult`. Only there do they report errors:
 * `@cloudflare/mcp-server-cloudflare` 0.2.0.
 */
export function unwrapResult(result: CallResult): CallResult {
  const inner = objectOf(result.toolResult) ?? {};
  const isError = inner.isError === true;
  if (!Array.isArray(inner.content)) return isError ? { ...result, isError } : result;
  return { ...result, toolResult: undefined, content: inner.content, isError };
}

/** Maximum size of a result, in characters. Several large images in base64 fit. */
const maxResultCharacters = 32 * 1024 * 1024;

/** Far more parts than real results have. */
const maxParts = 1000;

/** Deeper values overflow the stack of `JSON.stringify`. */
const structureBounds = { maxDepth: 500, maxSize: maxResultCharacters };

/**
 * Converts the result of an MCP tool to the AI SDK's format. Structured content is added unless the text repeats it.
 * Binary data never becomes text. A note in the output replaces omitted content and marks truncated content. What only
 * the host can use is kept in `mcp` of the output: `_meta`, structured content and the original blocks.
 */
export function toToolOutput({
  content = [],
  structuredContent,
  isError = false,
  toolResult,
  _meta,
}: CallResult): ToolOutput {
  const value = structuredContent === undefined ? toolResult : structuredContent;
  const structured = value === undefined ? undefined : toBounded(value);
  const { items, isLossy } = toContentItems(content);
  const output = toModelOutput(items, { structuredContent: structured, failed: isError });
  const mcp: McpResultDetails = {
    ...(isLossy &&
      content.every(isJsonObject) &&
      isWithinBounds(content, structureBounds) && { content: [...content] }),
    ...(structuredContent !== undefined &&
      output.type !== 'json' && { structuredContent: asJson(structured) }),
    ...(_meta !== undefined && toHostMeta(_meta)),
    ...(isError && output.type === 'content' && { isError }),
  };
  return Object.keys(mcp).length === 0 ? output : { ...output, mcp };
}

/**
 * Converts content blocks, without blank text. Limits their number and size to protect the host, and notes what was omitted.
 * `isLossy` is true if some became text that are more than text to the host, and all can be read back.
 */
function toContentItems(blocks: readonly unknown[]): { items: ContentItem[]; isLossy: boolean } {
  const items: ContentItem[] = [];
  let remaining = maxResultCharacters;
  let isReadable = blocks.length <= maxParts;
  let isLossy = false;
  for (const block of blocks.slice(0, maxParts)) {
    const known = toContentItem(block);
    if (known === undefined) isReadable = false;
    else if (known.type === 'text' && objectOf(block)?.type !== 'text') isLossy = true;
    const item = known ?? toTextPart(JSON.stringify(toBounded(block), replaceBinary));
    const length = item.type === 'text' ? item.text.length : item.data.data.length;
    if (length > remaining) {
      const text = item.type === 'text' ? item.text.slice(0, remaining) : '';
      items.push(toTextPart(`${text}${toOmissionNote(item, length - text.length)}`));
    } else if (item.type === 'file' || item.text.trim() !== '') items.push(item);
    remaining = Math.max(0, remaining - length);
  }
  const missing = blocks.length - maxParts;
  if (missing > 0) items.push(toTextPart(`(${missing} more parts of the result omitted)`));
  return { items, isLossy: isLossy && isReadable };
}

/** Returns `_meta` without the name of the server, which the SDK's servers add to every result. */
function toHostMeta(meta: unknown): Pick<McpResultDetails, '_meta'> {
  if (!isJsonObject(meta)) return {};
  const { 'io.modelcontextprotocol/serverInfo': _serverInfo, ...rest } = meta;
  return Object.keys(rest).length === 0 ? {} : { _meta: rest };
}

const isJsonObject = (value: unknown): value is JSONObject =>
  isPlainObject(value) && isWithinBounds(value, structureBounds);

function toBounded(value: unknown): unknown {
  return isWithinBounds(value, structureBounds)
    ? value
    : `(omitted: more than ${structureBounds.maxDepth} levels deep or larger than ${structureBounds.maxSize} characters)`;
}

function toOmissionNote(part: ContentItem, missing: number): string {
  const unit = part.type === 'text' ? 'characters' : `characters of ${part.mediaType}`;
  return ` … (${missing} ${unit} omitted: the result is larger than ${maxResultCharacters} characters)`;
}

function toTextPart(text: string): ContentItem {
  return { type: 'text', text };
}

/** Replaces long base64 strings, which would fill the model's context without being useful to it. */
function replaceBinary(_key: string, value: unknown): unknown {
  const isBinary = typeof value === 'string' && value.length > 256 && /^[A-Za-z0-9+/_-]+=*$/.test(value);
  return isBinary ? `(${value.length} characters of base64)` : value;
}

/** A part of a user or assistant message, in the types of `ai` 5, 6 and 7. */
export type McpContentPart =
  | { type: 'text'; text: string }
  | {
      /** An image, a PDF or another file. */
      type: 'file';
      /** The content in base64. */
      data: string;
      mediaType: string;
      /** The file name in the resource's URI. @default none */
      filename?: string;
    };

/**
 * Converts content blocks of a server to parts of a message. Size and number of the parts are limited as in the result
 * of a tool.
 */
export function toContentParts(blocks: readonly unknown[]): McpContentPart[] {
  const readable = blocks.map(block =>
    objectOf(block)?.type === 'resource' ? toReadableBlock(objectOf(block)?.resource) : block,
  );
  return toContentItems(readable).items.map((item): McpContentPart => {
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
  const size = Math.floor((blob.replace(/={1,2}$/, '').length * 3) / 4);
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
