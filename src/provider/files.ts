import { InvalidArgumentError, InvalidResponseDataError } from '@ai-sdk/provider';
import { convertBase64ToUint8Array } from '@ai-sdk/provider-utils';
import { openResponse } from '../core/http/open-response.js';
import { type JsonRequestOptions, requestJson } from '../core/http/request-json.js';
import {
  idOf,
  type JSONObject,
  numberOf,
  objectOf,
  type PlainObject,
  stringOf,
} from '../core/shared/json.js';
import type {
  FilesV4,
  FilesV4FileOptions,
  FilesV4Metadata,
  FilesV4UploadOptions,
  SkillsV4,
} from '../core/versions/provider.js';
import type { Connection } from './connection.js';

/** The official provider uses this key, too, so that both can use the uploads of the other. */
const REFERENCE_KEY = 'openai';

/** Creates the client for `…/files` of a provider. */
export function createFiles(connection: Connection): Omit<FilesV4, 'specificationVersion' | 'provider'> {
  const request = (path: string, options: RequestOptions) => sendRequest(connection, path, options);
  const pathOf = (file: FilesV4FileOptions['file']): string => `files/${toFileId(file)}`;

  return {
    async uploadFile({ data, mediaType, filename, ...options }) {
      const { fields, form } = toUploadForm(options);
      const blob = await toBlob(data, { mediaType, signal: options.abortSignal });
      if (filename === undefined) form.append('file', blob);
      else form.append('file', blob, filename);
      const body = { ...fields, filename, mediaType, bytes: blob.size };
      return {
        mediaType,
        ...(filename !== undefined && { filename }),
        ...toMetadata(await request('files', { ...options, method: 'POST', body, form })),
      };
    },

    getFileMetadata: async ({ file, ...options }) =>
      toMetadata(await request(pathOf(file), { ...options, method: 'GET' })),

    async downloadFile({ file, ...options }) {
      const opened = await openDownload(connection, `${pathOf(file)}/content`, options);
      const mediaType = idOf(opened.headers['content-type']?.split(';', 1)[0]?.trim());
      return { content: opened.content, ...(mediaType !== undefined && { mediaType }), warnings: [] };
    },

    async deleteFile({ file, ...options }) {
      const deleted = await request(pathOf(file), { ...options, method: 'DELETE' });
      return {
        providerReference: { [REFERENCE_KEY]: idOf(deleted.id) ?? toFileId(file) },
        deleted: deleted.deleted === true,
        warnings: [],
      };
    },
  };
}

/** Creates the client for `…/skills` of a provider. */
export const createSkills = (connection: Connection): Pick<SkillsV4, 'uploadSkill'> => ({
  async uploadSkill({ files, displayTitle, providerOptions }) {
    const form = new FormData();
    for (const { path, data } of files) form.append('files[]', await toBlob(data), path);
    const body = { files: files.map(file => file.path) };
    const skill = await sendRequest(connection, 'skills', { providerOptions, method: 'POST', body, form });
    const { name, description } = skill;
    const latestVersion = idOf(skill.latest_version);
    return {
      providerReference: toReference(skill),
      ...(typeof name === 'string' && { name }),
      ...(typeof description === 'string' && { description }),
      ...(latestVersion !== undefined && { latestVersion }),
      providerMetadata: {
        openai: pick(skill, {
          defaultVersion: 'default_version',
          createdAt: 'created_at',
          updatedAt: 'updated_at',
        }),
      },
      warnings: displayTitle === undefined ? [] : [{ type: 'unsupported', feature: 'displayTitle' }],
    };
  },
});

interface RequestOptions
  extends
    Pick<FilesV4FileOptions, 'abortSignal' | 'headers' | 'providerOptions'>,
    Pick<JsonRequestOptions, 'method' | 'body' | 'form'> {}

async function sendRequest(
  connection: Connection,
  path: string,
  options: RequestOptions,
): Promise<PlainObject> {
  const { method, body, form } = options;
  const response = await connection.credentials.use(undefined, keyHeaders =>
    requestJson({ ...toRequest(connection, path, { keyHeaders, options }), method, body, form }),
  );
  return objectOf(response.body) ?? {};
}

async function openDownload(connection: Connection, path: string, options: RequestOptions) {
  const { read, headers, close } = await connection.credentials.use(undefined, keyHeaders =>
    openResponse({
      ...toRequest(connection, path, { keyHeaders, options }),
      method: 'GET',
    }),
  );
  const content = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const bytes = await read();
        if (bytes !== undefined) return controller.enqueue(bytes);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      close();
    },
    cancel: close,
  });
  return { headers, content };
}

const toRequest = (
  connection: Connection,
  path: string,
  { keyHeaders, options }: { keyHeaders: JsonRequestOptions['headers'][number]; options: RequestOptions },
) => ({
  url: connection.urlOf(path),
  headers: [keyHeaders, options.headers],
  needsKey: connection.needsKey,
  fetch: connection.fetchFor(options.providerOptions),
  signal: options.abortSignal,
  timeouts: { total: connection.timeout },
});

/**
 * Returns the form for an upload, without the file. Reads `purpose` and `expiresAfter` from `providerOptions.openai` and
 * `providerOptions.kelivo`, which takes precedence.
 *
 * @throws InvalidArgumentError for an option of the wrong type.
 */
function toUploadForm(options: Pick<FilesV4UploadOptions, 'providerOptions'>) {
  // The default of the official provider. The API requires a purpose.
  const { purpose = 'assistants', expiresAfter } = {
    ...objectOf(options.providerOptions?.openai),
    ...objectOf(options.providerOptions?.kelivo),
  };
  if (typeof purpose !== 'string') throw toOptionError('purpose', 'a string', purpose);
  if (expiresAfter !== undefined && numberOf(expiresAfter) === undefined)
    throw toOptionError('expiresAfter', 'a number of seconds', expiresAfter);
  const fields = {
    purpose,
    ...(expiresAfter !== undefined && {
      'expires_after[anchor]': 'created_at',
      'expires_after[seconds]': String(expiresAfter),
    }),
  };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return { fields, form };
}

const toOptionError = (name: string, expected: string, value: unknown): InvalidArgumentError =>
  new InvalidArgumentError({
    argument: 'providerOptions',
    message: `Expected \`${name}\` of a file upload to be ${expected}, got ${JSON.stringify(value)}.`,
  });

/** Reads a stream completely, because a request may be repeated with another key or after a redirect. */
async function toBlob(
  data: FilesV4UploadOptions['data'],
  { mediaType: type, signal }: { mediaType?: string; signal?: AbortSignal } = {},
): Promise<Blob> {
  switch (data.type) {
    case 'text':
      return new Blob([data.text], { type });
    case 'data': {
      const bytes = typeof data.data === 'string' ? convertBase64ToUint8Array(data.data) : data.data;
      return new Blob([bytes as Uint8Array<ArrayBuffer>], { type });
    }
    case 'stream': {
      // Passes an abort on to the stream.
      const content = data.stream.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal });
      const blob = await new Response(content).blob();
      return blob.slice(0, blob.size, type);
    }
  }
}

/** @throws InvalidArgumentError for a reference to a file of another provider. */
function toFileId(file: FilesV4FileOptions['file']): string {
  const id = idOf(file[REFERENCE_KEY]);
  // Two dots would lead to another endpoint.
  if (id !== undefined && !/^\.+$/.test(id)) return encodeURIComponent(id);
  const keys = Object.keys(file).map(key => `"${key}"`);
  throw new InvalidArgumentError({
    argument: 'file',
    message: `Expected a file reference with the key "${REFERENCE_KEY}", got ${keys.length > 0 ? keys.join(', ') : 'none'}. Upload the file with this provider first.`,
  });
}

function toReference(uploaded: PlainObject): Record<string, string> {
  const id = idOf(uploaded.id);
  if (id !== undefined) return { [REFERENCE_KEY]: id };
  throw new InvalidResponseDataError({
    data: uploaded,
    message: 'Expected the `id` of the upload in the response, got none. Check that the server supports it.',
  });
}

function toMetadata(file: PlainObject): FilesV4Metadata {
  const byteSize = numberOf(file.bytes);
  const [createdAt, expiresAt] = [toDate(file.created_at), toDate(file.expires_at)];
  const filename = idOf(file.filename);
  return {
    providerReference: toReference(file),
    ...(filename !== undefined && { filename }),
    ...(byteSize !== undefined && { byteSize }),
    ...(createdAt !== undefined && { createdAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    providerMetadata: {
      openai: pick(file, {
        filename: 'filename',
        purpose: 'purpose',
        bytes: 'bytes',
        createdAt: 'created_at',
        status: 'status',
        expiresAt: 'expires_at',
      }),
    },
    warnings: [],
  };
}

/** Converts seconds to a date. */
function toDate(seconds: unknown): Date | undefined {
  const value = numberOf(seconds);
  return value === undefined ? undefined : new Date(value * 1000);
}

/** Returns the fields that are strings or numbers, under other names. */
const pick = (object: PlainObject, names: Readonly<Record<string, string>>): JSONObject =>
  Object.fromEntries(
    Object.entries(names).flatMap(([name, field]) => {
      const value = numberOf(object[field]) ?? idOf(stringOf(object[field]));
      return value === undefined ? [] : [[name, value]];
    }),
  );
