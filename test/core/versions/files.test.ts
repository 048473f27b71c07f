import { APICallError, InvalidArgumentError } from '@ai-sdk/provider';
import { generateText, uploadFile, uploadSkill } from 'ai7';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { KelivoResponsesSettings } from '../../../src/provider/settings.js';
import { createKelivoResponsesProvider } from '../../../src/v4.js';

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly form?: FormData;
  readonly json?: Readonly<Record<string, unknown>>;
}

const storedFile = {
  id: 'file-abc',
  object: 'file',
  bytes: 5,
  created_at: 1_700_000_000,
  expires_at: 1_700_086_400,
  filename: 'notes.txt',
  purpose: 'assistants',
  status: 'processed',
};
const textResponse = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-5',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Read.', annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};

/** Starts a server with the endpoints of files and skills. `respond` may replace a response. */
async function startServer(
  settings: KelivoResponsesSettings = {},
  respond?: (request: Received) => { status: number; body: unknown } | undefined,
) {
  const requests: Received[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const type = incoming.headers['content-type'] ?? '';
    const body = Buffer.concat(chunks);
    const { method = '', url: path = '', headers } = incoming;
    const request: Received = {
      method,
      path,
      headers,
      ...(type.startsWith('multipart/') && {
        form: await new Response(body, { headers: { 'content-type': type } }).formData(),
      }),
      ...(type === 'application/json' && { json: JSON.parse(body.toString()) }),
    };
    requests.push(request);
    const { status, body: answer } = respond?.(request) ?? { status: 200, body: toAnswer(request) };
    outgoing.statusCode = status;
    outgoing.setHeader(
      'content-type',
      typeof answer === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
    );
    outgoing.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const provider = createKelivoResponsesProvider({ baseURL, apiKey: 'sk-secret-0123456789', ...settings });
  onTestFinished(() => provider.close());
  const { files, skills } = provider;
  if (files === undefined || skills === undefined) throw new Error('The provider has no files or skills.');
  return { provider, files: files(), skills: skills(), requests };
}

function toAnswer({ method, path }: Received): unknown {
  if (path === '/v1/responses') return textResponse;
  if (path === '/v1/skills')
    return { id: 'skill_1', name: 'dice', description: 'Rolls.', latest_version: '2', created_at: 1 };
  if (path.endsWith('/content')) return 'Hello';
  return method === 'DELETE' ? { id: 'file-abc', object: 'file', deleted: true } : storedFile;
}

async function readText(blob: FormDataEntryValue | null | undefined): Promise<string | undefined> {
  return blob instanceof Blob ? blob.text() : undefined;
}

const file = { openai: 'file-abc' };

describe('files of the provider', () => {
  it('are uploaded by `uploadFile` of ai@7 and used in a message', async () => {
    const { provider, requests } = await startServer();
    const uploaded = await uploadFile({
      api: provider as Parameters<typeof uploadFile>[0]['api'],
      data: { type: 'text', text: 'Hello' },
      filename: 'notes.txt',
      providerOptions: { openai: { purpose: 'user_data', expiresAfter: 86_400 } },
    });
    expect(uploaded).toMatchObject({
      providerReference: { openai: 'file-abc' },
      mediaType: 'text/plain',
      filename: 'notes.txt',
      byteSize: 5,
      createdAt: new Date(1_700_000_000_000),
      expiresAt: new Date(1_700_086_400_000),
      providerMetadata: { openai: { purpose: 'assistants', status: 'processed', createdAt: 1_700_000_000 } },
      warnings: [],
    });
    const [upload] = requests;
    expect(upload).toMatchObject({ method: 'POST', path: '/v1/files' });
    expect(upload?.headers.authorization).toBe('Bearer sk-secret-0123456789');
    expect(Object.fromEntries(upload?.form ?? [])).toMatchObject({
      purpose: 'user_data',
      'expires_after[anchor]': 'created_at',
      'expires_after[seconds]': '86400',
    });
    expect(upload?.form?.get('file')).toMatchObject({ name: 'notes.txt', type: 'text/plain' });
    expect(await readText(upload?.form?.get('file'))).toBe('Hello');

    const { providerReference: reference } = uploaded;
    const part = (mediaType: string) => ({
      type: 'file' as const,
      mediaType,
      data: { type: 'reference' as const, reference },
    });
    const { text } = await generateText({
      model: provider('gpt-5'),
      messages: [{ role: 'user', content: [part('application/pdf'), part('image/png')] }],
    });
    expect(text).toBe('Read.');
    expect(requests[1]?.json?.input).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_file', file_id: 'file-abc' },
          { type: 'input_image', file_id: 'file-abc' },
        ],
      },
    ]);
  });

  it.each([
    ['bytes', { type: 'data' as const, data: new TextEncoder().encode('Hello') }],
    ['base64', { type: 'data' as const, data: 'SGVsbG8=' }],
    ['a stream', { type: 'stream' as const, stream: new Blob(['Hel', 'lo']).stream() }],
  ])('are uploaded from %s, for assistants by default', async (_, data) => {
    const { files, requests } = await startServer();
    const { mediaType } = await files.uploadFile({ data, mediaType: 'text/markdown' });
    expect(mediaType).toBe('text/markdown');
    const form = requests[0]?.form;
    expect(form?.get('purpose')).toBe('assistants');
    expect(form?.get('file')).toMatchObject({ type: 'text/markdown' });
    expect(await readText(form?.get('file'))).toBe('Hello');
  });

  it('are described, downloaded and deleted', async () => {
    const { files, requests } = await startServer();
    expect(await files.getFileMetadata({ file })).toMatchObject({
      providerReference: file,
      filename: 'notes.txt',
      byteSize: 5,
    });
    const { content, mediaType } = await files.downloadFile({ file });
    expect(mediaType).toBe('text/plain');
    expect(await new Response(content).text()).toBe('Hello');
    expect(await files.deleteFile({ file, headers: { 'x-a': 'b' } })).toMatchObject({
      providerReference: file,
      deleted: true,
    });
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/files/file-abc',
      'GET /v1/files/file-abc/content',
      'DELETE /v1/files/file-abc',
    ]);
    expect(requests.map(({ headers }) => headers['content-type'])).toEqual([undefined, undefined, undefined]);
    expect(requests[2]?.headers['x-a']).toBe('b');
  });

  it('are uploaded with the next key if the server rejects one, also from a stream', async () => {
    const { files, requests } = await startServer(
      { apiKey: ['sk-first-0123456789', 'sk-second-0123456789'] },
      request =>
        request.headers.authorization?.includes('sk-first')
          ? { status: 401, body: { error: { message: 'Incorrect API key provided: sk-first-0123456789' } } }
          : undefined,
    );
    await files.uploadFile({
      data: { type: 'stream', stream: new Blob(['Hello']).stream() },
      mediaType: 'text/plain',
    });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-first-0123456789',
      'Bearer sk-second-0123456789',
    ]);
    expect(await readText(requests[1]?.form?.get('file'))).toBe('Hello');
  });

  it('fail with the error of the server, without the key', async () => {
    const { files } = await startServer({}, () => ({
      status: 400,
      body: { error: { message: 'Invalid purpose. sk-secret-0123456789' } },
    }));
    const data = { type: 'text' as const, text: 'Hello' };
    const error = await Promise.resolve(files.uploadFile({ data, mediaType: 'text/plain' })).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(APICallError);
    expect(error).toMatchObject({
      statusCode: 400,
      isRetryable: false,
      message: expect.stringContaining('Invalid purpose.'),
      requestBodyValues: { purpose: 'assistants', mediaType: 'text/plain', bytes: 5 },
    });
    expect(JSON.stringify([error, (error as Error).message])).not.toContain('sk-secret');
  });

  it('send nothing after an abort', async () => {
    const { files, requests } = await startServer();
    const abortSignal = AbortSignal.abort(new Error('Stopped.'));
    const data = { type: 'stream' as const, stream: new ReadableStream<Uint8Array>() };
    await expect(files.uploadFile({ data, mediaType: 'text/plain', abortSignal })).rejects.toThrow(
      'Stopped.',
    );
    await expect(files.getFileMetadata({ file, abortSignal })).rejects.toThrow('Stopped.');
    expect(requests).toEqual([]);
  });

  it('stop reading a stream that is aborted', async () => {
    const { files, requests } = await startServer();
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
    const controller = new AbortController();
    const upload = files.uploadFile({
      data: { type: 'stream', stream },
      mediaType: 'text/plain',
      abortSignal: controller.signal,
    });
    controller.abort(new Error('Stopped.'));
    await expect(upload).rejects.toThrow('Stopped.');
    expect(cancelled).toBe(true);
    expect(requests).toEqual([]);
  });

  it.each([{ anthropic: 'file_1' }, {}, { openai: '' }, { openai: '..' }])(
    'reject the reference %o',
    async reference => {
      const { files, requests } = await startServer();
      await expect(files.deleteFile({ file: reference as typeof file })).rejects.toThrow(
        InvalidArgumentError,
      );
      expect(requests).toEqual([]);
    },
  );

  it('reject options of the wrong type before the request', async () => {
    const { files, requests } = await startServer();
    const data = { type: 'text' as const, text: 'Hello' };
    const providerOptions = { openai: { expiresAfter: 'a day' } };
    await expect(files.uploadFile({ data, mediaType: 'text/plain', providerOptions })).rejects.toThrow(
      'Expected `expiresAfter` of a file upload to be a number of seconds, got "a day".',
    );
    expect(requests).toEqual([]);
  });
});

describe('skills of the provider', () => {
  it('are uploaded by `uploadSkill` of ai@7', async () => {
    const { provider, requests } = await startServer();
    const uploaded = await uploadSkill({
      api: provider as Parameters<typeof uploadSkill>[0]['api'],
      files: [{ path: 'dice/SKILL.md', data: { type: 'text', text: '# Dice' } }],
      displayTitle: 'Dice',
    });
    expect(uploaded).toMatchObject({
      providerReference: { openai: 'skill_1' },
      name: 'dice',
      description: 'Rolls.',
      latestVersion: '2',
      warnings: [{ type: 'unsupported', feature: 'displayTitle' }],
    });
    const [upload] = requests;
    expect(upload).toMatchObject({ method: 'POST', path: '/v1/skills' });
    expect(await readText(upload?.form?.get('files[]'))).toBe('# Dice');
  });
});
