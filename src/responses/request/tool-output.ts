import type { LanguageModelV2ToolResultOutput, LanguageModelV2ToolResultPart } from '@ai-sdk/provider';
import { objectsOf, type PlainObject, stringOf } from '../../shared/json.js';
import { isArchive, toFilename } from '../../tool-calls/mcp-output.js';
import type { FunctionCallOutput, InputContent } from '../wire.js';
import { findReferenceIssue, toFileContent } from './files.js';
import { readPartOptions, toCacheBreakpoint } from './provider-options.js';

export interface ToolOutputOptions {
  /** Names of the tools whose outputs the API reads as JSON. */
  readonly jsonTools: ReadonlySet<string>;
  /** Names under which the ids of uploaded files are known. */
  readonly fileProviders: readonly string[];
  readonly warn: (message: string) => void;
}

/** Converts a tool result to the `output` of a `function_call_output`. */
export function toToolOutput(
  { output, toolName, providerOptions }: LanguageModelV2ToolResultPart,
  options: ToolOutputOptions,
): FunctionCallOutput['output'] {
  const breakpoint = readPartOptions(providerOptions).promptCacheBreakpoint;
  const content =
    output.type === 'content'
      ? toContent(output.value, options)
      : toText(output, { isJson: options.jsonTools.has(toolName) });
  if (breakpoint === undefined) return content;
  const items = typeof content === 'string' ? [{ type: 'input_text' as const, text: content }] : content;
  return items.map((item, index) =>
    index === items.length - 1 ? { ...item, ...toCacheBreakpoint(breakpoint) } : item,
  );
}

function toText(output: LanguageModelV2ToolResultOutput, { isJson }: { isJson: boolean }): string {
  const { type, value, reason }: PlainObject = output;
  const text =
    type === 'execution-denied'
      ? typeof reason === 'string' && reason !== ''
        ? reason
        : 'The user did not allow this tool call.'
      : (type === 'text' || type === 'error-text') && typeof value === 'string'
        ? value
        : undefined;
  if (text === undefined) return JSON.stringify(value) ?? '';
  if (!isJson) return text;
  return JSON.stringify(type === 'error-text' ? { error: text } : text);
}

function toContent(items: unknown, options: ToolOutputOptions): string | InputContent[] {
  const content = objectsOf(items).flatMap(item => toContentItem(item, options) ?? []);
  // The API accepts an empty text but rejects an empty list.
  return content.length === 0 ? '' : content;
}

/** Readers of the file data in content items of `ai` 5, 6 and 7, by type. */
const files: Readonly<Record<string, (item: PlainObject) => { data: unknown; mediaType?: unknown }>> = {
  media: ({ data, mediaType }) => ({ data, mediaType }),
  file: ({ data, mediaType }) => ({ data, mediaType }),
  'file-data': ({ data, mediaType }) => ({ data, mediaType }),
  'image-data': ({ data, mediaType = 'image' }) => ({ data, mediaType }),
  'file-url': ({ url, mediaType }) => ({ data: { type: 'url', url }, mediaType }),
  'image-url': ({ url }) => ({ data: { type: 'url', url }, mediaType: 'image' }),
  'file-id': ({ fileId, mediaType }) => ({ data: { type: 'reference', reference: fileId }, mediaType }),
  'image-file-id': ({ fileId }) => ({ data: { type: 'reference', reference: fileId }, mediaType: 'image' }),
};

function toContentItem(
  item: PlainObject,
  { fileProviders, warn }: ToolOutputOptions,
): InputContent | undefined {
  const type = stringOf(item.type);
  if (type === 'text') return { type: 'input_text', text: String(item.text) };
  const readFile = Object.hasOwn(files, type) ? files[type] : undefined;
  if (readFile === undefined) {
    warn(`Tool output of type "${type}" is not supported and not sent.`);
    return undefined;
  }
  const { data, mediaType } = readFile(item);
  // The API rejects archives, which would end the turn after the tool has run.
  const isRejected = typeof mediaType === 'string' && isArchive(mediaType);
  const content = toFileContent(isRejected ? undefined : data, {
    mediaType: typeof mediaType === 'string' ? mediaType : undefined,
    filename: typeof item.filename === 'string' ? item.filename : toFilename(item.uri),
    imageDetail: readPartOptions(item.providerOptions as LanguageModelV2ToolResultPart['providerOptions'])
      .imageDetail,
    defaultName: () => 'data',
    providers: fileProviders,
  });
  if (content !== undefined) return content;
  // The call has been executed: the model is informed about the omission and the turn continues.
  const description = `${typeof mediaType === 'string' ? mediaType : type} content`;
  const reason =
    findReferenceIssue(data, fileProviders) ?? 'The Responses API accepts text, images and files.';
  warn(`Tool output with ${description} is not sent. ${reason}`);
  return { type: 'input_text', text: `[${description} omitted: it cannot be shown to the model]` };
}
