import type { JSONValue } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import type { ToolOutput } from '../tool-source.js';
import { isWithinBounds } from './is-within.js';
import { limitParts, maxResultCharacters, type ResultPart } from './limit-parts.js';

/** The result of `tools/call`, as loose as servers are. */
export interface CallResult {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  /** The result in the protocol of October 2024. */
  readonly toolResult?: unknown;
}

/** Deeper ones overflow the stack of what writes them as JSON. */
const structureBounds = { maxDepth: 500, maxSize: maxResultCharacters };

/**
 * Turns what an MCP tool gave into the AI SDK's form. Text beside structured content wins, because it repeats
 * it; nothing is dropped in silence, and binary data never becomes text. What is too large is cut, and says so.
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
    // It came as JSON, so it is JSON.
    return structured === undefined
      ? { type: 'text', value: '(no output)' }
      : { type: 'json', value: structured as JSONValue };
  }
  if (parts.every(part => part.type === 'text')) return { type: 'text', value: toText(parts) };
  const repeated: ResultPart[] =
    structured === undefined || hasText ? [] : [{ type: 'text', text: JSON.stringify(structured) }];
  return { type: 'content', value: [...repeated, ...parts] };
}

function toBounded(value: unknown): unknown {
  return isWithinBounds(value, structureBounds)
    ? value
    : `(left out: more than ${structureBounds.maxDepth} levels deep or larger than ${structureBounds.maxSize} characters)`;
}

function toErrorText(parts: readonly ResultPart[], structured: unknown): string {
  if (parts.length > 0) return toText(parts);
  return structured === undefined ? 'The tool failed without saying why.' : JSON.stringify(structured);
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
      return toTextPart(JSON.stringify(toBounded(block), withoutBinary));
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

/** Leaves out what can only be base64: it would fill the model's context and tell it nothing. */
function withoutBinary(_key: string, value: unknown): unknown {
  const isBinary = typeof value === 'string' && value.length > 256 && /^[A-Za-z0-9+/_-]+=*$/.test(value);
  return isBinary ? `(${value.length} characters of base64)` : value;
}
