import { convertToBase64 } from '@ai-sdk/provider-utils';
import { type FileSource, toFileSource } from './file-source.js';
import type { InputContent, InputFile, InputImage } from '../wire.js';

export interface FileContentOptions {
  /** Missing where a host hands on a bare URL. */
  readonly mediaType?: string;
  readonly filename?: string;
  /** How closely the model looks at an image. */
  readonly imageDetail?: string;
  /** The name of a file that has none; its media type gives the extension. */
  readonly defaultName: (extension: string) => string;
}

/**
 * A file as content of a message or of a tool's output. `data` may have any of the forms that hosts use: base64,
 * bytes, a URL, a file id, tagged data. Returns `undefined` when the API has no form for it, as for audio.
 */
export function toFileContent(data: unknown, options: FileContentOptions): InputContent | undefined {
  const source = toFileSource(data);
  const mediaType = options.mediaType ?? toMediaType(source);
  if (source === undefined || /^(?:audio|video)(?:\/|$)/.test(mediaType)) return undefined;
  if (source.type === 'text') return { type: 'input_text', text: source.text };
  return /^image(?:\/|$)/.test(mediaType)
    ? toImage(source, { ...options, mediaType })
    : toFile(source, { ...options, mediaType });
}

type Sent = Exclude<FileSource, { type: 'text' }>;
type Options = FileContentOptions & { mediaType: string };

function toImage(source: Sent, { mediaType, imageDetail }: Options): InputImage {
  const detail = imageDetail === undefined ? {} : { detail: imageDetail };
  if (source.type === 'id') return { type: 'input_image', file_id: source.id, ...detail };
  // Hosts that do not know the kind of image say `image/*` (`ai` 5 and 6) or `image` (`ai` 7).
  const known = /^image\/[^*]/.test(mediaType) ? mediaType : 'image/jpeg';
  const image_url = source.type === 'url' ? source.url : toDataUrl(known, source.data);
  return { type: 'input_image', image_url, ...detail };
}

function toFile(source: Sent, { mediaType, filename, defaultName }: Options): InputFile {
  if (source.type === 'id') return { type: 'input_file', file_id: source.id };
  if (source.type === 'url' && !source.url.startsWith('data:')) {
    return { type: 'input_file', file_url: source.url };
  }
  return {
    type: 'input_file',
    // The API tells the kind of a file by the extension of its name.
    filename: filename ?? defaultName(toExtension(mediaType)),
    file_data: source.type === 'url' ? source.url : toDataUrl(mediaType, source.data),
  };
}

function toDataUrl(mediaType: string, data: string | Uint8Array): string {
  return `data:${mediaType};base64,${convertToBase64(data)}`;
}

/** The media type a URL shows; a file of any kind when it shows none. */
function toMediaType(source: FileSource | undefined): string {
  const url = source?.type === 'url' ? source.url : '';
  if (/^data:[^;,]+\/[^;,]+[;,]/.test(url)) return url.slice('data:'.length).split(/[;,]/, 1)[0] ?? '';
  return /\.(?:png|jpe?g|gif|webp)(?:[?#]|$)/i.test(url) ? 'image/*' : 'application/octet-stream';
}

/** Extensions that the media type does not spell out. */
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
