import type { LanguageModelV2ToolResultOutput, LanguageModelV2ToolResultPart } from '@ai-sdk/provider';
import { objectsOf, type PlainObject, stringOf } from '../../shared/json.js';
import type { FunctionCallOutput, InputContent } from '../wire.js';
import { toFileContent } from './files.js';
import { readPartOptions, toCacheBreakpoint } from './provider-options.js';

type Warn = (message: string) => void;

/** Converts a tool result to the `output` of a `function_call_output`. */
export function toToolOutput(
  { output, providerOptions }: LanguageModelV2ToolResultPart,
  { warn }: { warn: Warn },
): FunctionCallOutput['output'] {
  const breakpoint = readPartOptions(providerOptions).promptCacheBreakpoint;
  const content = output.type === 'content' ? toContent(output.value, warn) : toText(output);
  if (breakpoint === undefined) return content;
  const items = typeof content === 'string' ? [{ type: 'input_text' as const, text: content }] : content;
  return items.map((item, index) =>
    index === items.length - 1 ? { ...item, ...toCacheBreakpoint(breakpoint) } : item,
  );
}

function toText(output: LanguageModelV2ToolResultOutput): string {
  const { type, value, reason }: PlainObject = output;
  if (type === 'execution-denied') {
    return typeof reason === 'string' && reason !== '' ? reason : 'The user did not allow this tool call.';
  }
  const isText = type === 'text' || type === 'error-text';
  return isText && typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function toContent(items: unknown, warn: Warn): string | InputContent[] {
  const content = objectsOf(items).flatMap(item => toContentItem(item, warn) ?? []);
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

/** Types that the API rejects, which would end the turn after the tool has run. */
const archiveTypes =
  /^application\/(?:octet-stream|zip|gzip|x-[a-z0-9-]*(?:compressed|tar|zip2?|gzip)|wasm)(?:;|$)/;

/** Returns the file name in the URI of an embedded resource. */
const toFilename = (uri: unknown): string | undefined => /[^/?#:]+\.\w+(?=[?#]|$)/.exec(stringOf(uri))?.[0];

function toContentItem(item: PlainObject, warn: Warn): InputContent | undefined {
  const type = stringOf(item.type);
  if (type === 'text') return { type: 'input_text', text: String(item.text) };
  const readFile = Object.hasOwn(files, type) ? files[type] : undefined;
  if (readFile === undefined) {
    warn(`Tool output of type "${type}" is not supported and not sent.`);
    return undefined;
  }
  const { data, mediaType } = readFile(item);
  const isArchive = typeof mediaType === 'string' && archiveTypes.test(mediaType);
  const content = toFileContent(isArchive ? undefined : data, {
    mediaType: typeof mediaType === 'string' ? mediaType : undefined,
    filename: typeof item.filename === 'string' ? item.filename : toFilename(item.uri),
    imageDetail: readPartOptions(item.providerOptions as LanguageModelV2ToolResultPart['providerOptions'])
      .imageDetail,
    defaultName: () => 'data',
  });
  if (content !== undefined) return content;
  // The call has been executed: the model is informed about the omission and the turn continues.
  const description = `${typeof mediaType === 'string' ? mediaType : type} content`;
  warn(`Tool output with ${description} is not sent: the Responses API accepts text, images and files.`);
  return { type: 'input_text', text: `[${description} omitted: it cannot be shown to the model]` };
}
