import { convertToBase64 } from '@ai-sdk/provider-utils';
import {
  type FileData,
  type OutputContent,
  toLowerMediaType,
  type ToolResultOutput,
  type ToolResultPart,
} from '../../core/prompt.js';
import { objectOf, toJsonValue } from '../../core/shared/json.js';
import { isArchive, toFilename } from '../../core/tool-calls/mcp-output.js';
import type { FunctionCallOutput, InputContent, InputFile, InputImage } from '../wire.js';
import { readPartOptions, toCacheBreakpoint } from './read-options.js';

/* Files of messages and the outputs of tools, as content that the API accepts. */

export interface FileContentOptions {
  /** Empty if the host passes only a URL. */
  readonly mediaType: string;
  readonly filename?: string | undefined;
  /** Level of detail at which the model sees an image. */
  readonly imageDetail?: string | undefined;
  /** Returns the name of a file without a name. The extension follows from the media type. */
  readonly defaultName: (extension: string) => string;
  /** Names under which the ids of uploaded files are known, the preferred one first. */
  readonly providers: readonly string[];
  /** Sends audio and video, too. @default false */
  readonly passThrough?: boolean;
}

/**
 * Converts a file to content of a message or a tool output. Returns undefined for files that the API does not accept, such
 * as audio.
 */
export function toFileContent(data: FileData, options: FileContentOptions): InputContent | undefined {
  const source = toFileSource(data, options.providers);
  const mediaType = options.mediaType || toMediaType(source);
  const isAccepted = options.passThrough === true || !/^(?:audio|video)(?:\/|$)/.test(mediaType);
  if (source === undefined || !isAccepted) return undefined;
  if (source.type === 'text') return { type: 'input_text', text: source.text };
  return /^image(?:\/|$)/.test(mediaType)
    ? toImage(source, { ...options, mediaType })
    : toFile(source, { ...options, mediaType });
}

type SentSource = Exclude<FileSource, { type: 'text' }>;

function toImage(source: SentSource, options: FileContentOptions): InputImage {
  const detail = options.imageDetail === undefined ? {} : { detail: options.imageDetail };
  if (source.type === 'id') return { type: 'input_image', file_id: source.id, ...detail };
  // Hosts that do not know the image format pass `image/*` or `image`.
  const format = /^image\/[^*]/.test(options.mediaType) ? options.mediaType : 'image/jpeg';
  const image_url = source.type === 'url' ? source.url : toDataUrl(format, source.data);
  return { type: 'input_image', image_url, ...detail };
}

function toFile(source: SentSource, options: FileContentOptions): InputFile {
  if (source.type === 'id') return { type: 'input_file', file_id: source.id };
  if (source.type === 'url' && !source.url.startsWith('data:')) {
    return { type: 'input_file', file_url: source.url };
  }
  return {
    type: 'input_file',
    // The API derives the file type from the extension.
    filename: options.filename ?? options.defaultName(toExtension(options.mediaType)),
    file_data: source.type === 'url' ? source.url : toDataUrl(options.mediaType, source.data),
  };
}

const toDataUrl = (mediaType: string, data: string | Uint8Array): string =>
  `data:${mediaType};base64,${convertToBase64(data)}`;

/** Returns the media type that a URL reveals, else that of an arbitrary file. */
function toMediaType(source: FileSource | undefined): string {
  const url = source?.type === 'url' ? source.url : '';
  if (/^data:[^;,/]+\/[^;,]+[;,]/.test(url))
    return toLowerMediaType(url.slice('data:'.length).split(/[;,]/, 1)[0] ?? '');
  return /\.(?:png|jpe?g|gif|webp)(?:[?#]|$)/i.test(url) ? 'image/*' : 'application/octet-stream';
}

/** Extensions that differ from the subtype of the media type. */
const extensions: Readonly<Record<string, string>> = {
  'application/msword': 'doc',
  'application/octet-stream': 'bin',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'text/javascript': 'js',
  'text/markdown': 'md',
  'text/plain': 'txt',
};

function toExtension(mediaType: string): string {
  const [type = ''] = mediaType.toLowerCase().split(';');
  const subtype = /^[a-z]+\/(?:x-)?([a-z0-9]+)$/.exec(type)?.[1];
  return extensions[type] ?? subtype ?? (type.startsWith('text/') ? 'txt' : 'bin');
}

type FileSource =
  | { readonly type: 'base64'; readonly data: string | Uint8Array }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'id'; readonly id: string }
  | { readonly type: 'text'; readonly text: string };

/** Prefixes of uploaded file ids at OpenAI and Azure. Base64 cannot contain their hyphen. */
const fileIdPrefixes = ['file-', 'assistant-'];

/** Reads the data of a file. Text may be base64, an address or a file id. Returns undefined for other values. */
function toFileSource(file: FileData, providers: readonly string[]): FileSource | undefined {
  switch (file.type) {
    case 'data':
      if (file.data instanceof Uint8Array) return { type: 'base64', data: file.data };
      return typeof file.data === 'string' ? fromText(file.data) : undefined;
    case 'url':
      return { type: 'url', url: String(file.url) };
    case 'reference':
      return fromReference(file.reference, providers);
    case 'text':
      return { type: 'text', text: file.text };
    default:
      return undefined;
  }
}

function fromText(data: string): FileSource {
  if (fileIdPrefixes.some(prefix => data.startsWith(prefix))) return { type: 'id', id: data };
  return /^(?:https?:\/\/|data:)/.test(data) ? { type: 'url', url: data } : { type: 'base64', data };
}

/** Reads an id, or an object with one id for each provider that stores the file. */
function fromReference(reference: unknown, providers: readonly string[]): FileSource | undefined {
  if (typeof reference === 'string') return { type: 'id', id: reference };
  const ids = objectOf(reference) ?? {};
  const id = providers.map(name => ids[name]).find(value => typeof value === 'string');
  return typeof id === 'string' ? { type: 'id', id } : undefined;
}

/** Returns why a file reference has no id for this provider. Undefined for other data. */
export function findReferenceIssue(data: FileData, providers: readonly string[]): string | undefined {
  if (data.type !== 'reference' || fromReference(data.reference, providers) !== undefined) return undefined;
  const names = Object.keys(objectOf(data.reference) ?? {});
  const known = names.length === 0 ? 'no id' : `ids for ${names.join(', ')}`;
  return `Expected a file reference with an id for ${providers.join(' or ')}, got ${known}. Upload the file to this provider.`;
}

/** Returns the media type with a subtype, which hosts may leave out. */
export const toFullMediaType = (mediaType: string): string =>
  mediaType === '' || mediaType.includes('/') ? mediaType : `${mediaType}/*`;

export interface ToolOutputOptions {
  /** Names of the tools whose outputs the API reads as JSON. */
  readonly jsonTools: ReadonlySet<string>;
  /** Names under which the ids of uploaded files are known. */
  readonly fileProviders: readonly string[];
  /** True if an error is sent as `{ "error": … }`, which the official provider sends for functions. @default false */
  readonly wrapsErrors?: boolean;
  readonly warn: (message: string) => void;
}

export function toFunctionOutput(
  part: ToolResultPart,
  options: ToolOutputOptions,
): FunctionCallOutput['output'] {
  const { output, toolName } = part;
  const breakpoint =
    readPartOptions(part).promptCacheBreakpoint ?? readPartOptions(output).promptCacheBreakpoint;
  const content =
    output.type === 'content'
      ? toContent(output.value, options)
      : toText(output, {
          isJson: options.jsonTools.has(toolName),
          wrapsErrors: options.wrapsErrors === true,
        });
  if (breakpoint === undefined) return content;
  const items = typeof content === 'string' ? [{ type: 'input_text' as const, text: content }] : content;
  return items.map((item, index) =>
    index === items.length - 1 ? { ...item, ...toCacheBreakpoint(breakpoint) } : item,
  );
}

function toText(
  output: Exclude<ToolResultOutput, { type: 'content' }>,
  options: { isJson: boolean; wrapsErrors: boolean },
): string {
  const text =
    output.type === 'execution-denied'
      ? output.reason || 'The user did not allow this tool call.'
      : output.value;
  const isError = output.type === 'error-text' || output.type === 'error-json';
  if (isError && (options.wrapsErrors || options.isJson)) return toJson({ error: text });
  const isText = typeof text === 'string' && output.type !== 'json' && output.type !== 'error-json';
  return isText && !options.isJson ? text : toJson(text);
}

/** Writes a value of any kind as JSON. Most are JSON already, so that no copy is needed. */
function toJson(value: unknown): string {
  try {
    const json = isJson(value) ? JSON.stringify(value) : undefined;
    // Names that differ only in lone surrogates, which JSON escapes, become one in the copy.
    if (json !== undefined && !json.includes('\\ud')) return json;
  } catch {
    // A field that cannot be read is replaced by a note.
  }
  return JSON.stringify(toJsonValue(value)) ?? '';
}

/** Returns true for a value that `toJsonValue` would copy as it is. Few values have more levels, or no end of them. */
function isJson(value: unknown, levels = 20): boolean {
  if (typeof value !== 'object')
    return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  if (value === null) return true;
  if (levels === 0 || 'toJSON' in value) return false;
  if (Array.isArray(value)) return value.every(item => isJson(item, levels - 1));
  if (
    Object.getPrototypeOf(value) !== Object.prototype ||
    Symbol.iterator in value ||
    Symbol.asyncIterator in value
  )
    return false;
  return Object.values(value).every(field => isJson(field, levels - 1));
}

function toContent(content: readonly OutputContent[], options: ToolOutputOptions): string | InputContent[] {
  const items = content.flatMap(part => {
    const item = toContentItem(part, options);
    return item === undefined
      ? []
      : { ...item, ...toCacheBreakpoint(readPartOptions(part).promptCacheBreakpoint) };
  });
  // The API accepts an empty text but rejects an empty list.
  return items.length === 0 ? '' : items;
}

function toContentItem(item: OutputContent, options: ToolOutputOptions): InputContent | undefined {
  if (item.type === 'text') return { type: 'input_text', text: String(item.text) };
  if (item.type !== 'file') {
    options.warn(`Tool output of type "${item.type}" is not supported and not sent.`);
    return undefined;
  }
  // Files of MCP resources have their address.
  const { data, mediaType, uri, filename = toFilename(uri) }: typeof item & { readonly uri?: string } = item;
  // The API rejects archives, which would end the turn after the tool has run.
  const content = isArchive(mediaType)
    ? undefined
    : toFileContent(data, {
        mediaType,
        filename,
        imageDetail: readPartOptions(item).imageDetail,
        defaultName: () => 'data',
        providers: options.fileProviders,
      });
  if (content !== undefined) return content;
  // The call has been executed: the model is informed about the omission and the turn continues.
  const description = `${mediaType || item.type} content`;
  const reason =
    findReferenceIssue(data, options.fileProviders) ?? 'The Responses API accepts text, images and files.';
  options.warn(`Tool output with ${description} is not sent. ${reason}`);
  return { type: 'input_text', text: `[${description} omitted: it cannot be shown to the model]` };
}
