import { isPlainObject, objectOf, stringOf } from '../shared/json.js';
import type { FileData, OutputContent, ToolResultOutput } from './prompt.js';

/*
 * Outputs of tools, which the versions of the model interface and the tools of an application write in different forms.
 */

/**
 * Converts the output of a tool of any version: media of version 2, and images and files of version 3, become files with
 * tagged data. The value is not validated: what no version has is returned unchanged. See `isToolOutput`.
 */
export function toCoreOutput(output: unknown): ToolResultOutput {
  if (!isPlainObject(output) || output.type !== 'content' || !Array.isArray(output.value))
    return output as ToolResultOutput;
  return { ...output, type: 'content', value: output.value.map(toItem) as OutputContent[] };
}

function toItem(item: unknown) {
  if (!isPlainObject(item)) return item;
  const { type, data, url, fileId, mediaType, ...rest } = item;
  const defaultType = stringOf(type).startsWith('image') ? 'image/*' : '';
  const file = { type: 'file', mediaType: mediaType ?? defaultType, ...rest };
  switch (type) {
    case 'media':
    case 'image-data':
    case 'file-data':
      return { ...file, data: { type: 'data', data } };
    case 'image-url':
    case 'file-url':
      return URL.canParse(String(url)) ? { ...file, data: { type: 'url', url: new URL(String(url)) } } : item;
    case 'image-file-id':
    case 'file-id': {
      const reference = typeof fileId === 'string' ? { openai: fileId } : fileId;
      return { ...file, data: { type: 'reference', reference } };
    }
    case 'file':
      return { ...item, data: toFileData(data) };
    default:
      return item;
  }
}

/** Tags the data of a file. Data of `ai` 7 has a tag already, with a text in place of the URL if it was stored as JSON. */
export function toFileData(data: unknown): FileData {
  if (data instanceof URL) return { type: 'url', url: data };
  if (data instanceof Uint8Array || typeof data === 'string') return { type: 'data', data };
  const { type, url } = objectOf(data) ?? {};
  if (type === 'url' && typeof url === 'string' && URL.canParse(url)) return { type, url: new URL(url) };
  return data as FileData;
}

/** Returns the text for the model of a call that was refused. */
export const toDeniedText = ({ reason = '' }: { readonly reason?: string | undefined }): string =>
  reason === '' ? 'The user did not allow this tool call.' : reason;

/** Returns true for an output of a tool. */
export function isToolOutput(output: unknown): output is ToolResultOutput {
  const { type, value } = objectOf(output) ?? {};
  if (type === 'text' || type === 'error-text') return typeof value === 'string';
  if (type === 'json' || type === 'error-json') return value !== undefined;
  if (type === 'execution-denied') return true;
  return type === 'content' && Array.isArray(value) && value.every(isItem);
}

function isItem(item: unknown): boolean {
  const { type, text, data, mediaType } = objectOf(item) ?? {};
  if (type === 'text') return typeof text === 'string';
  return type === 'custom' || (type === 'file' && typeof mediaType === 'string' && isFileData(data));
}

function isFileData(tagged: unknown): boolean {
  const { type, data, url, text, reference } = objectOf(tagged) ?? {};
  switch (type) {
    case 'data':
      return typeof data === 'string' || data instanceof Uint8Array;
    case 'url':
      return url instanceof URL;
    case 'text':
      return typeof text === 'string';
    default:
      return type === 'reference' && isPlainObject(reference);
  }
}
