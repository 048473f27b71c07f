import type { JSONSchema7 } from '@ai-sdk/provider';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newest } from '../../_products.js';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { createMcpTools, type McpTools, type McpToolsOptions } from '../../../src/tools/mcp/index.js';
import { toHostTools } from '../../../src/tools/host-tools.js';
import { everythingOverStdio, referenceServerScript } from './_everything-server.js';
import { fixtureServer, openTools, shareFixtureTools, temporaryFolder, until } from './_fixture-server.js';
import { hostLoops } from './_host-loop.js';

/** For tests that do not end the server. */
const shared = shareFixtureTools();

describe.each(newest(hostLoops))('in the loop of ai $major', ({ major, run }) => {
  let everything: McpTools;

  beforeAll(() => {
    everything = createMcpTools({ everything: everythingOverStdio() });
  });

  afterAll(() => everything.close());

  it('declares the schema of the server and returns text', async () => {
    const { text, outputs, declared, content } = await run(await everything.tools(), [
      ['echo', { message: 'hi' }],
    ]);
    expect(text).toBe('Done.');
    expect(outputs).toEqual([{ type: 'text', value: 'Echo: hi' }]);
    expect(content.find(({ type }) => type === 'tool-result')).toMatchObject({
      dynamic: true,
      output: 'Echo: hi',
    });
    expect(declared.find(({ name }) => name === 'get-sum')).toMatchObject({
      type: 'function',
      inputSchema: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'number' } } },
    });
  });

  it.each([false, true])('returns images in the words of the host, streaming: %s', async streams => {
    const tools = await everything.tools();
    const { text, outputs, content } = await run(tools, [['get-tiny-image']], { streams });
    expect(text).toBe('Done.');
    const data = expect.stringMatching(/^[A-Za-z0-9+/]{100}/);
    const image = {
      5: { type: 'media', data, mediaType: 'image/png' },
      6: { type: 'image-data', data, mediaType: 'image/png' },
      7: { type: 'file', data: { type: 'data', data }, mediaType: 'image/png' },
    }[major];
    expect(outputs).toMatchObject([{ type: 'content', value: [{ type: 'text' }, image, { type: 'text' }] }]);
    expect(content.find(({ type }) => type === 'tool-result')?.output).toMatchObject({
      content: [{ type: 'text' }, { type: 'image', mimeType: 'image/png' }, { type: 'text' }],
    });
  });

  it('returns resources and structured content', async () => {
    const { outputs } = await run(await everything.tools(), [
      ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
      ['get-structured-content', { location: 'New York' }],
    ]);
    expect(outputs).toMatchObject([
      { type: 'text', value: expect.stringContaining('Resource demo://resource/') },
      { type: 'text', value: expect.stringContaining('"temperature"') },
    ]);
  });

  it('turns the error of a server into a tool error with its text', async () => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'note.txt'), 'Hello.');
    const source = openTools({
      files: { command: process.execPath, args: [referenceServerScript('filesystem'), folder] },
    });
    const { outputs, content } = await run(await source.tools(), [
      ['read_text_file', { path: path.join(folder, 'note.txt') }],
      ['read_text_file', { path: '/etc/passwd' }],
    ]);
    expect(outputs).toEqual([
      { type: 'text', value: 'Hello.' },
      { type: 'error-text', value: expect.stringContaining('Access denied') },
    ]);
    expect(content.map(({ type }) => type)).toContain('tool-error');
  });

  it.each([false, true])('does not run a call that needs approval, streaming: %s', async streams => {
    const tools = await shared.tools.tools({ approvals: 'unless-read-only' });
    const before = await shared.journal();
    const { content, outputs, messages } = await run(tools, [['crash']], { streams });
    expect(await shared.journal()).toEqual(before);
    if (major === 5) {
      const value = expect.stringMatching(/not approved: .*The host cannot ask/);
      expect(outputs).toEqual([{ type: 'error-text', value }]);
      return;
    }
    const request = content.find(({ type }) => type === 'tool-approval-request');
    expect(request).toBeDefined();

    // A denial does not run it either.
    const { approvalId } = request ?? {};
    const answer = (approved: boolean) => ({
      messages: [
        ...messages,
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved }] },
      ],
    });
    await run(tools, [], answer(false));
    expect(await shared.journal()).toEqual(before);
  });

  // `ai` 5 has no approvals.
  if (major > 5)
    it('runs an approved call, also with tools that were created after the question', async () => {
      const source = shared.tools;
      const { content, messages } = await run(await source.tools({ approvals: 'unless-read-only' }), [
        ['journal'],
      ]);
      const { approvalId } = content.find(({ type }) => type === 'tool-approval-request') ?? {};
      const response = { type: 'tool-approval-response', approvalId, approved: true };
      const { text, outputs } = await run(await source.tools({ approvals: 'unless-read-only' }), [], {
        messages: [...messages, { role: 'tool', content: [response] }],
      });
      expect(text).toBe('Done.');
      expect(outputs).toMatchObject([{ type: 'text', value: expect.stringMatching(/^start \d+/) }]);
    });

  it('asks `approve` instead of the host', async () => {
    const approve = vi.fn(({ toolName }: { toolName: string }) => toolName === 'journal');
    const tools = await shared.tools.tools({ approve });
    const { outputs } = await run(tools, [['journal'], ['noise'], ['crash']]);
    expect(outputs).toMatchObject([
      { type: 'text' },
      { type: 'error-text', value: expect.stringMatching(/The call was not approved\.$/) },
      { type: 'error-text', value: expect.stringMatching(/The call was not approved\.$/) },
    ]);
    expect(approve.mock.calls[0]?.[0]).toMatchObject({ server: 'fixture', originalName: 'journal' });
  });

  // Only `ai` 7 has the option.
  if (major === 7)
    it('lets `toolApproval` of the host decide by name', async () => {
      const tools = await shared.tools.tools({ approvals: 'always' });
      const settings = {
        toolApproval: { journal: 'approved', noise: { type: 'denied', reason: 'Too loud.' } },
      };
      const { outputs } = await run(tools, [['journal'], ['noise']], { settings });
      expect(outputs).toMatchObject([{ type: 'text' }, { type: 'execution-denied', reason: 'Too loud.' }]);
    });

  it('cancels a call at the server when the host is aborted', async () => {
    const { config, journal } = await fixtureServer();
    const tools = await openTools({ fixture: config }).tools();
    const controller = new AbortController();
    const running = run(tools, [['silent']], { abortSignal: controller.signal });
    const rejected = expect(running).rejects.toThrow('the user went away');
    await until(async () => (await journal()).includes('silent'));
    controller.abort(new Error('the user went away'));
    await rejected;
    await until(async () => (await journal()).some(entry => entry.startsWith('cancel')));
  });

  it('starts a server again that crashed', async () => {
    const { config, journal } = await fixtureServer();
    const tools = await openTools({ fixture: config }).tools();
    const { outputs } = await run(tools, [['crash'], ['echo', { text: 'again' }]]);
    expect(outputs).toMatchObject([{ type: 'error-text' }, { type: 'text', value: 'echo again' }]);
    expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(2);
  });

  it('reports the progress of a server, and asks for the input that it needs', async () => {
    const onElicitation = vi.fn<NonNullable<McpToolsOptions['onElicitation']>>(() =>
      Promise.resolve({ action: 'accept', content: { name: 'Ada', check: true, integer: 42 } }),
    );
    const onProgress = vi.fn();
    const source = openTools({ everything: everythingOverStdio() }, { onElicitation });
    const { outputs } = await run(
      await source.tools({ onProgress }),
      [['trigger-long-running-operation', { duration: 2, steps: 2 }], ['trigger-elicitation-request']],
      { streams: true },
    );
    expect(onProgress.mock.calls[0]).toMatchObject([
      { progress: 1, total: 2 },
      { toolCallId: 'call_1', server: 'everything' },
    ]);
    expect(onElicitation.mock.calls).toMatchObject([
      [{ message: expect.stringContaining('inputs') }, { server: 'everything', toolCallId: 'call_2' }],
    ]);
    expect(outputs).toMatchObject([
      { type: 'text', value: expect.stringContaining('completed') },
      { type: 'text', value: expect.stringMatching(/Ada/) },
    ]);
  });

  // One of the two answers for each host.
  const trustAnnotations = major === 7;
  it(`goes on when the process of a server is killed during a call, trusted: ${trustAnnotations}`, async () => {
    const file = path.join(await temporaryFolder(), 'pids.txt');
    const { command, args = [] } = everythingOverStdio();
    const script = `echo $$ >> '${file}'; exec '${command}' '${args.join("' '")}'`;
    const source = openTools({ everything: { command: 'sh', args: ['-c', script], trustAnnotations } });
    const pids = async () => (await readFile(file, 'utf8')).trim().split('\n').map(Number);
    const onProgress = vi.fn(async () => {
      if (onProgress.mock.calls.length === 1) process.kill(Number((await pids())[0]), 'SIGKILL');
    });
    const { text, outputs } = await run(await source.tools({ onProgress }), [
      ['trigger-long-running-operation', { duration: 1, steps: 5 }],
      ['echo', { message: 'again' }],
    ]);
    expect(text).toBe('Done.');
    expect(outputs).toMatchObject([
      trustAnnotations
        ? { type: 'text', value: expect.stringContaining('completed') }
        : { type: 'error-text', value: expect.stringMatching(/may or may not/) },
      { type: 'text', value: 'Echo: again' },
    ]);
    expect(await pids()).toHaveLength(2);
  });

  // `ai` 5 has no approvals.
  if (major > 5)
    it('asks for the calls that write a file, and not for those that read it', async () => {
      const file = path.join(await temporaryFolder(), 'note.txt');
      await writeFile(file, 'Hello.');
      const source = openTools({
        files: {
          command: process.execPath,
          args: [referenceServerScript('filesystem'), path.dirname(file)],
          trustAnnotations: true,
        },
      });
      const tools = await source.tools({ approvals: 'unless-read-only' });
      const { content, outputs, messages } = await run(tools, [
        ['read_text_file', { path: file }],
        ['write_file', { path: file, content: 'Bye.' }],
      ]);
      expect(outputs).toEqual([{ type: 'text', value: 'Hello.' }]);
      expect(await readFile(file, 'utf8')).toBe('Hello.');
      const { approvalId } = content.find(({ type }) => type === 'tool-approval-request') ?? {};
      const response = { type: 'tool-approval-response', approvalId, approved: true };
      await run(tools, [], { messages: [...messages, { role: 'tool', content: [response] }] });
      expect(await readFile(file, 'utf8')).toBe('Bye.');
    });

  it('opens a server again after `close()`', async () => {
    const { config, journal } = await fixtureServer();
    const source = openTools({ fixture: config });
    const tools = await source.tools();
    await source.close();
    const { outputs } = await run(tools, [['echo', { text: 'again' }]]);
    expect(outputs).toEqual([{ type: 'text', value: 'echo again' }]);
    expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(2);
  });
});

it('gives tools of the same name the names that they have in the tool loop', async () => {
  const { config } = await fixtureServer();
  const source = openTools({ a: config, b: config });
  const { tools } = await source.listTools();
  const own = await source.tools();
  expect(Object.keys(own)).toEqual(tools.map(({ name }) => name));
  expect(await own.b_echo?.execute({ text: 'hi' }, { toolCallId: 'call_1' })).toBe('echo hi');
});

it('leaves out of schemas for `WorkflowAgent` what its validator rejects, and no value', () => {
  const inputSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      url: { type: 'string', format: 'uri', 'x-order': 1 },
      size: {
        oneOf: [{ type: 'string', pattern: '^\\d$' }, { $ref: '#/$defs/size' }, { $ref: 'size.json' }],
      },
      format: { type: 'string', enum: ['a'] },
    },
    not: { required: ['old'] },
    required: ['url'],
    $defs: { size: { type: 'number', minimum: 1 } },
  };
  const callTool = () => Promise.reject(new Error('Nothing is called.'));
  const tools = toHostTools({ callTool }, [{ name: 'get', inputSchema: inputSchema as JSONSchema7 }], {
    forWorkflowAgent: true,
  });
  expect(tools.get?.inputSchema).toMatchObject({
    jsonSchema: {
      type: 'object',
      properties: {
        url: { type: 'string' },
        size: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/size' }, {}] },
        format: { type: 'string', enum: ['a'] },
      },
      required: ['url'],
      $defs: { size: { type: 'number', minimum: 1 } },
    },
  });
});

it('ends a running call with `close()`, and does not open its server again', async () => {
  const { config, journal } = await fixtureServer();
  const source = openTools({ fixture: config });
  const { silent } = await source.tools();
  const running = silent?.execute({}, { toolCallId: 'call_1' });
  const rejected = expect(running).rejects.toMatchObject({ code: 'closed' });
  await until(async () => (await journal()).includes('silent'));
  await source.close();
  await rejected;
  expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(1);
});

it('reports progress', async () => {
  const onProgress = vi.fn(() => {
    throw new Error('A broken observer.');
  });
  const { progress } = await shared.tools.tools({ onProgress });
  await progress?.execute({ steps: 2, pause: 1 }, { toolCallId: 'call_1' });
  expect(onProgress.mock.calls).toMatchObject([
    [{ progress: 1 }, { toolCallId: 'call_1', toolName: 'progress' }],
    [{ progress: 2 }, { toolCallId: 'call_1' }],
  ]);
});

it.each(['experimental_context', 'context'])('passes `%s` of the host to dialogs by reference', async key => {
  const user = { name: 'Ada' };
  const onElicitation = vi.fn<NonNullable<McpToolsOptions['onElicitation']>>(() =>
    Promise.resolve({ action: 'decline' }),
  );
  const { config } = await fixtureServer();
  const { ask } = await openTools({ fixture: config }, { onElicitation }).tools();
  const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
  const input = { method: 'elicitation/create', params };
  expect(await ask?.execute(input, { toolCallId: 'call_1', [key]: user })).toContain('decline');
  const [, asked] = onElicitation.mock.calls[0] ?? [];
  expect(asked).toMatchObject({ server: 'fixture', toolCallId: 'call_1' });
  expect(asked?.context).toBe(user);
});

it('reports servers that fail', async () => {
  const onWarning = vi.fn();
  const tools = await openTools({ missing: { command: '/does/not/exist' } }).tools({ onWarning });
  expect(tools).toEqual({});
  expect(onWarning.mock.calls).toMatchObject([[expect.stringContaining('missing')]]);
});

it('refuses a call if a function for approvals throws', async () => {
  const approvals = () => {
    throw new Error('The rules cannot be read.');
  };
  const { echo: tool } = await shared.tools.tools({ approvals });
  const options = { toolCallId: 'call_1' };
  await expect(tool?.execute({}, options)).rejects.toThrow(
    'The call was not approved: The rules cannot be read.',
  );
  expect(await tool?.needsApproval?.({}, options)).toBe(true);
});

it('replaces audio by a note for the model and keeps it for the host', async () => {
  const { answer } = await shared.tools.tools();
  const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
  const result = await answer?.execute({ result: { content: [audio] } }, { toolCallId: 'call_1' });
  expect(result).toEqual({ content: [audio] });
  expect(answer?.toModelOutput(result)).toEqual({
    type: 'content',
    value: [{ type: 'text', text: '[audio/wav content omitted: it cannot be shown to the model]' }],
  });
});

it('is offered by a provider for its servers, also if the provider runs no tools itself', async () => {
  const { config } = await fixtureServer();
  const provider = createKelivoResponsesProvider({
    apiKey: 'key',
    mcpServers: { fixture: config, missing: { command: '/does/not/exist' } },
    toolLoop: false,
  });
  const onWarning = vi.fn();
  const { echo: tool, ...others } = await provider.tools({ runBy: 'host', onWarning });
  expect(await tool?.execute({ text: 'hi' }, { toolCallId: 'call_1' })).toBe('echo hi');
  expect(Object.keys(others)).toContain('journal');
  expect(onWarning).toHaveBeenCalledTimes(1);
  await provider.close();
  expect(await createKelivoResponsesProvider({ apiKey: 'key' }).tools({ runBy: 'host' })).toEqual({});
});
