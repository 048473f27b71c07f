import * as z from 'zod/v4';
import { asJson } from '../../shared/json.js';
import type { ToolOutput } from '../tool-source.js';
import { isWithinBounds } from './untrusted-input.js';

/** The result of `tools/call`. All fields are optional because servers differ. */
export interface CallResult {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  /** The result in the protocol revision of October 2024. */
  readonly toolResult?: unknown;
}

type ResultPart = { type: 'text'; text: string } | { type: 'media'; data: string; mediaType: string };

/** Maximum size of a result, in characters. Several large images in base64 fit. */
const maxResultCharacters = 32 * 1024 * 1024;

/** Far more parts than real results have. */
const maxParts = 1000;

/** Deeper values overflow the stack of `JSON.stringify`. */
const structureBounds = { maxDepth: 500, maxSize: maxResultCharacters };

/**
 * Converts the result of an MCP tool to the AI SDK's format. If a result has text and structured content, the text is
 * used, because it repeats the content. Binary data never becomes text. A note in the
 * output replaces omitted content and marks truncated content.
 */
export function toToolOutput({
  content = [],
  structuredContent,
  isError,
  toolResult,
}: CallResult): ToolOutput {
  const structured = toBounded(structuredContent ?? toolResult);
  const parts = limitParts(content.map(toPart)).filter(
    part => part.type === 'media' || part.text.trim() !== '',
  );
  const hasText = parts.some(part => part.type === 'text');

  if (isError) return { type: 'error-text', value: toErrorText(parts, structured) };
  if (parts.length === 0) {
    return structured === undefined
      ? { type: 'text', value: '(no output)' }
      : { type: 'json', value: asJson(structured) };
  }
  if (parts.every(part => part.type === 'text')) return { type: 'text', value: toText(parts) };
  const repeated: ResultPart[] =
    structured === undefined || hasText ? [] : [{ type: 'text', text: JSON.stringify(structured) }];
  return { type: 'content', value: [...repeated, ...parts] };
}

function toBounded(value: unknown): unknown {
  return isWithinBounds(value, structureBounds)
    ? value
    : `(omitted: more than ${structureBounds.maxDepth} levels deep or larger than ${structureBounds.maxSize} characters)`;
}

/** Limits the size of a result to protect the host, and notes what was omitted. */
function limitParts(parts: readonly ResultPart[]): ResultPart[] {
  let remaining = maxResultCharacters;
  const kept = parts.slice(0, maxParts).map((part): ResultPart => {
    const length = part.type === 'text' ? part.text.length : part.data.length;
    const available = remaining;
    remaining = Math.max(0, remaining - length);
    if (length <= available) return part;
    const text = part.type === 'text' ? part.text.slice(0, available) : '';
    return toTextPart(`${text}${toOmissionNote(part, length - text.length)}`);
  });
  const missing = parts.length - kept.length;
  return missing === 0 ? kept : [...kept, toTextPart(`(${missing} more parts of the result omitted)`)];
}

function toOmissionNote(part: ResultPart, missing: number): string {
  const unit = part.type === 'text' ? 'characters' : `characters of ${part.mediaType}`;
  return ` … (${missing} ${unit} omitted: the result is larger than ${maxResultCharacters} characters)`;
}

function toErrorText(parts: readonly ResultPart[], structured: unknown): string {
  if (parts.length > 0) return toText(parts);
  return structured === undefined ? 'The tool failed without a message.' : JSON.stringify(structured);
}

function toText(parts: readonly ResultPart[]): string {
  return parts.map(part => (part.type === 'text' ? part.text : `(${part.mediaType})`)).join('\n');
}

function toPart(block: unknown): ResultPart {
  const { data } = blockSchema.safeParse(block);
  switch (data?.type) {
    case 'text':
      return toTextPart(data.text);
    case 'image':
    case 'audio':
      return { type: 'media', data: data.data, mediaType: data.mimeType };
    case 'resource':
      return toResourcePart(data.resource);
    case 'resource_link':
      return toTextPart(toLinkText(data));
    default:
      return toTextPart(JSON.stringify(toBounded(block), replaceBinary));
  }
}

const resourceSchema = z.object({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});

const linkSchema = z.object({
  type: z.literal('resource_link'),
  uri: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
});

const blockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal('audio'), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal('resource'), resource: resourceSchema }),
  linkSchema,
]);

function toResourcePart({ uri, mimeType, text, blob }: z.output<typeof resourceSchema>): ResultPart {
  if (blob !== undefined)
    return { type: 'media', data: blob, mediaType: mimeType ?? 'application/octet-stream' };
  const kind = mimeType === undefined ? '' : ` (${mimeType})`;
  return toTextPart(`Resource ${uri}${kind}${text === undefined ? '' : `:\n${text}`}`);
}

function toLinkText({ uri, name, description, mimeType }: z.output<typeof linkSchema>): string {
  const label = name === undefined || name === uri ? uri : `${name} <${uri}>`;
  const kind = mimeType === undefined ? '' : ` (${mimeType})`;
  return `Resource link: ${label}${kind}${description === undefined ? '' : ` – ${description}`}`;
}

function toTextPart(text: string): ResultPart {
  return { type: 'text', text };
}

/** Replaces long base64 strings, which would fill the model's context without being useful to it. */
function replaceBinary(_key: string, value: unknown): unknown {
  const isBinary = typeof value === 'string' && value.length > 256 && /^[A-Za-z0-9+/_-]+=*$/.test(value);
  return isBinary ? `(${value.length} characters of base64)` : value;
}
