import { convertUint8ArrayToBase64 } from '@ai-sdk/provider-utils';
import {
  type KeptOutput,
  type OutputContent,
  type PartFacts,
  toDeniedText,
  type ToolResultOutput,
} from '../prompt.js';
import {
  asJson,
  isPlainObject,
  type JSONObject,
  type JSONValue,
  type PlainObject,
  stringOf,
  toStableJson,
  tryParseJson,
} from '../shared/json.js';

/** The output of a tool, and what only the host receives. */
export type DetailedToolOutput = ToolResultOutput & {
  readonly mcp?: McpResultDetails;
  /** Set by the tool loop for the beginning of an output that it has kept as a whole. */
  readonly kept?: KeptOutput;
};

/** Parts of an MCP result that the output for the model does not contain in their own form. */
export interface McpResultDetails {
  /** The original blocks, if some of them became text: embedded resources and links. */
  readonly content?: readonly JSONObject[];
  readonly structuredContent?: JSONValue;
  readonly _meta?: JSONObject;
  /** True for an error with media, which cannot be an output of type `error-text`. */
  readonly isError?: boolean;
}

/** Returns the output that the model receives. */
export function withoutDetails(output: DetailedToolOutput): ToolResultOutput {
  const { mcp: _mcp, kept: _kept, ...modelOutput } = output;
  return modelOutput;
}

/** Returns the facts about an output for the history. */
export const toOutputFacts = (output: DetailedToolOutput): { readonly own?: PartFacts } =>
  output.kept === undefined ? {} : { own: { output: output.kept } };

/** A part of an MCP result as the model receives it. */
export type ContentItem =
  | { type: 'text'; text: string }
  | {
      type: 'file';
      data: { type: 'data'; data: string };
      mediaType: string;
      /** URI of an embedded resource. */
      uri?: string;
    };

/**
 * Restores the output of a provider-executed tool, which hosts keep as plain JSON. An MCP result, such as
 * `{ content: [...], structuredContent?, isError? }`, becomes text or content again, so that the model receives an image
 * as an image and not as base64 text. Any other output is returned as it is.
 */
export function unwrapMcpOutput(output: ToolResultOutput): ToolResultOutput {
  if (output.type !== 'json' && output.type !== 'error-json') return output;
  const value = parsed(output.value);
  if (!isPlainObject(value) || !Array.isArray(value.content)) return output;
  const { structuredContent } = value;
  if (value.content.length === 0 && structuredContent === undefined) return output;

  const items: ContentItem[] = [];
  for (const block of value.content) {
    const item = toContentItem(block);
    if (item === undefined) return output;
    items.push(item);
  }
  const failed = output.type === 'error-json' || value.isError === true;
  return toModelOutput(items, { structuredContent, failed });
}

/** `ai` 6 and 7 return the JSON of a failed result as a string. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('{')) return value;
  return tryParseJson(value) ?? value;
}

/**
 * Returns the output of an MCP result for the model. Structured content is added to the text, unless the text contains
 * it. An error with media is an output of type `content`, because errors can only contain text.
 */
export function toModelOutput(
  items: readonly ContentItem[],
  { structuredContent, failed }: { structuredContent: unknown; failed: boolean },
): Exclude<ToolResultOutput, { type: 'execution-denied' }> {
  const texts = items.flatMap(item => (item.type === 'text' ? [item.text] : []));
  const hasMedia = texts.length < items.length;
  if (items.length === 0 && structuredContent !== undefined && !failed)
    return { type: 'json', value: asJson(structuredContent) };

  const added = structuredContent === undefined || containsJson(texts, structuredContent);
  const addition = added ? [] : [JSON.stringify(structuredContent)];
  if (!hasMedia) {
    const text = [...texts, ...addition].join('\n');
    if (failed) return { type: 'error-text', value: text || 'The tool failed without a message.' };
    return { type: 'text', value: text || '(no output)' };
  }
  if (failed && texts.length + addition.length === 0) addition.push('The tool failed without a message.');
  const firstFile = items.findIndex(item => item.type === 'file');
  const inserted = addition.map((text): ContentItem => ({ type: 'text', text }));
  return { type: 'content', value: [...items.slice(0, firstFile), ...inserted, ...items.slice(firstFile)] };
}

/** Returns true if the texts contain a value as JSON, regardless of the order of its keys and of white space. */
function containsJson(texts: readonly string[], value: unknown): boolean {
  const expected = toStableJson(value);
  const isEqual = (text: string): boolean => {
    const found = tryParseJson(text);
    return found !== undefined && toStableJson(found) === expected;
  };
  // Other values are too short: every text with a 2 contains the number 2.
  const isDelimited = typeof value === 'object' && value !== null;
  const contains = (text: string): boolean =>
    isEqual(text) || (isDelimited && (isEqual(findJson(text)) || text.includes(JSON.stringify(value))));
  return texts.some(contains) || isRepeated(texts, value);
}

/** Returns the text from the first opening to the last closing bracket. */
function findJson(text: string): string {
  const start = text.search(/[{[]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  return start < 0 ? '' : text.slice(start, end + 1);
}

/**
 * Returns true if the texts are a plain result: a string, or each item of a list as one text. Before revision
 * 2026-07-28, servers wrap it, because structured content must be an object: FastMCP as `{ result: … }`, and the
 * filesystem server as `{ content: … }`.
 */
function isRepeated(texts: readonly string[], value: unknown): boolean {
  const [result, ...others] = isPlainObject(value) ? Object.values(value) : [value];
  if (result === undefined || others.length > 0) return false;
  const toPlain = (item: unknown): string => (typeof item === 'string' ? item : toStableJson(item));
  const readPlain = (text: string): string => {
    const found = tryParseJson(text);
    return found === undefined || typeof found === 'string' ? text : toStableJson(found);
  };
  const found = JSON.stringify(texts.map(readPlain));
  return (
    found === JSON.stringify([toPlain(result)]) ||
    (Array.isArray(result) && found === JSON.stringify(result.map(toPlain)))
  );
}

/** Converts a block of an MCP result. Returns undefined for a block that is malformed or of an unknown type. */
export function toContentItem(block: unknown): ContentItem | undefined {
  if (!isPlainObject(block)) return undefined;
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? { type: 'text', text: block.text } : undefined;
    case 'image':
    case 'audio':
      return toMedia(block.data, block.mimeType);
    case 'resource':
      return isPlainObject(block.resource) ? toResource(block.resource) : undefined;
    case 'resource_link':
      return typeof block.uri === 'string' ? { type: 'text', text: toLinkText(block.uri, block) } : undefined;
    default:
      return undefined;
  }
}

function toResource({ uri, text, blob, mimeType }: PlainObject): ContentItem | undefined {
  if (blob !== undefined) return toMedia(blob, mimeType ?? 'application/octet-stream', uri);
  const kind = typeof mimeType === 'string' ? ` (${mimeType})` : '';
  const body = typeof text === 'string' ? `:\n${text}` : '';
  return typeof uri === 'string' ? { type: 'text', text: `Resource ${uri}${kind}${body}` } : undefined;
}

function toMedia(data: unknown, mediaType: unknown, uri?: unknown): ContentItem | undefined {
  if (typeof data !== 'string' || typeof mediaType !== 'string') return undefined;
  return { type: 'file', data: { type: 'data', data }, mediaType, ...(typeof uri === 'string' && { uri }) };
}

function toLinkText(uri: string, { name, description, mimeType }: PlainObject): string {
  const label = typeof name !== 'string' || name === uri ? uri : `${name} <${uri}>`;
  const kind = typeof mimeType === 'string' ? ` (${mimeType})` : '';
  return `Resource link: ${label}${kind}${typeof description === 'string' ? ` – ${description}` : ''}`;
}

/**
 * Converts an output to the JSON value that hosts keep and display. Content with several parts, and a result with parts
 * that only the host receives, becomes an MCP result, which chat applications can render, and which `unwrapMcpOutput`
 * converts back.
 */
export function toResultValue(output: DetailedToolOutput): NonNullable<JSONValue> {
  const { mcp } = output;
  if (output.type !== 'content' && mcp === undefined) return valueOf(output);
  const { content, structuredContent, _meta } = mcp ?? {};
  const isError = mcp?.isError === true || output.type.startsWith('error');
  return {
    content: [...(content ?? toBlocks(output))],
    ...(structuredContent !== undefined && { structuredContent }),
    ...(_meta !== undefined && { _meta }),
    ...(isError && { isError }),
  };
}

function toBlocks(output: ToolResultOutput): JSONObject[] {
  if (output.type === 'content') return output.value.flatMap(toBlock);
  const value = valueOf(output);
  return [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }];
}

const valueOf = (output: Exclude<ToolResultOutput, { type: 'content' }>): NonNullable<JSONValue> =>
  output.type === 'execution-denied' ? toDeniedText(output) : (output.value ?? '');

/** Restores a block with its media type. A file is an embedded resource, as MCP has no block for files. */
function toBlock(item: OutputContent & { readonly uri?: string }, index: number): JSONObject[] {
  if (item.type === 'text') return [{ type: 'text', text: item.text }];
  if (item.type === 'custom') return [];
  const { data: content, mediaType, uri = `attachment:${index + 1}` } = item;
  switch (content.type) {
    case 'text':
      return [{ type: 'resource', resource: { uri, mimeType: mediaType, text: content.text } }];
    case 'url': {
      const { href } = content.url;
      return [{ type: 'resource_link', uri: href, name: item.filename ?? href, mimeType: mediaType }];
    }
    case 'reference':
      return [{ type: 'text', text: `File: ${JSON.stringify(content.reference)}` }];
    case 'data': {
      const { data } = content;
      return [
        toMediaBlock(typeof data === 'string' ? data : convertUint8ArrayToBase64(data), { mediaType, uri }),
      ];
    }
  }
}

function toMediaBlock(data: string, { mediaType, uri }: { mediaType: string; uri: string }): JSONObject {
  if (mediaType.startsWith('image/')) return { type: 'image', data, mimeType: mediaType };
  if (mediaType.startsWith('audio/')) return { type: 'audio', data, mimeType: mediaType };
  return { type: 'resource', resource: { uri, mimeType: mediaType, blob: data } };
}

/** Returns true for a media type that no model reads as a file. */
export const isArchive = (mediaType: string): boolean =>
  /^application\/(?:octet-stream|zip|gzip|x-[a-z0-9-]*(?:compressed|tar|zip2?|gzip)|wasm)(?:;|$)/.test(
    mediaType,
  );

/** Returns the file name in the URI of a resource. */
export const toFilename = (uri: unknown): string | undefined =>
  /(?<![^/?#:])[^/?#:]+\.\w+(?=[?#]|$)/.exec(stringOf(uri))?.[0];
