import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { McpTools } from '../../src/tools/mcp/index.js';
import type { ToolOutput } from '../../src/tools/tool-source.js';
import { namesOf, temporaryFolder, until } from '../tools/mcp/_fixture-server.js';
import type { RunningServer, ServerName, TransportName } from './_servers.js';

/** One connection with its server, and the requests that the server sent. */
export interface Session {
  readonly tools: McpTools;
  readonly server: RunningServer;
  readonly transport: TransportName;
  /** The requests that the callbacks received. */
  readonly asked: { readonly toolCallId?: string; readonly url?: string }[];
}

/** Proves one behaviour of one server. */
type Cell = (session: Session) => Promise<void>;

export const rows = [
  'tools',
  'progress',
  'elicitation form',
  'elicitation URL',
  'sampling',
  'resources',
  'prompts',
  'list_changed',
  'images',
  'structured content',
  'isError',
  // A server over stdio or SSE may still ask for a cancelled call, so the next request of the server is rejected.
  'cancel',
  'crash',
  'restart',
  'expired session',
] as const;
export type Row = (typeof rows)[number];

/** Returns the proof of a cell, or the reason why it cannot exist. */
export function cellOf(server: ServerName, transport: TransportName, row: Row): Cell | string {
  if (row === 'expired session' && transport !== 'HTTP') return `${transport} has no sessions that expire`;
  if (row === 'expired session' && server.startsWith('SDK 2.x')) return 'revision 2026-07-28 has no sessions';
  if (server === 'everything') return everythingCells[row];
  if (server === 'filesystem')
    return (
      filesystemCells[row] ?? 'server-filesystem has only tools, which report no progress and ask nothing'
    );
  return row === 'elicitation URL' && server === 'SDK 1.x' ? askUrlTwice : featureCells[row];
}

const pixelStart = 'iVBORw0KGgo';

/** The servers of this folder. */
const featureCells: Record<Row, Cell> = {
  async tools(session) {
    expect(await namesOf(session.tools)).toEqual(expect.arrayContaining(['echo', 'structured', 'wait']));
    expect(await run(session, 'echo', { text: 'hi' })).toEqual({ type: 'text', value: 'echo hi' });
  },
  async progress(session) {
    const gate = path.join(await temporaryFolder(), 'gate');
    const seen: unknown[] = [];
    const onProgress = (report: { progress: number }) => {
      seen.push(report);
      if (report.progress === 3) writeFileSync(gate, '');
    };
    const output = await run(session, 'progress', { steps: 3, gate }, { onProgress });
    expect(output.value).toBe('3 steps');
    expect(seen).toEqual([1, 2, 3].map(progress => ({ progress, total: 3 })));
  },
  async cancel(session) {
    // A call that is aborted before it was sent is not cancelled on the server.
    await until(async () => {
      await abortRunning(session, 'wait');
      return Number((await run(session, 'count-cancelled')).value) > 0;
    });
  },
  async 'elicitation form'(session) {
    expect(parse(await run(session, 'ask-form'))).toEqual({
      action: 'accept',
      content: { name: 'Ada', age: 30 },
    });
    expect(session.asked.at(-1)).toEqual({ toolCallId: 'call of ask-form' });
  },
  'elicitation URL': askUrl,
  async sampling(session) {
    const response = { role: 'assistant', model: 'parrot', content: { type: 'text', text: 'Why?' } };
    expect(parse(await run(session, 'ask-sampling'))).toEqual(response);
    expect(session.asked.at(-1)).toEqual({ toolCallId: 'call of ask-sampling' });
  },
  async resources({ tools }) {
    expect(await tools.listResources('matrix')).toMatchObject([{ uri: 'note://1', name: 'note' }]);
    const { contents } = await tools.readResource('matrix', { uri: 'note://1' });
    expect(contents).toMatchObject([{ uri: 'note://1', text: 'Bring milk.' }]);
  },
  async prompts({ tools }) {
    expect(await tools.listPrompts('matrix')).toMatchObject([{ name: 'greet' }]);
    const { messages } = await tools.getPrompt('matrix', { name: 'greet', arguments: { name: 'Bo' } });
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Greet Bo.' }] }]);
  },
  async list_changed(session) {
    expect(await namesOf(session.tools)).not.toContain('added');
    await run(session, 'add-tool');
    await until(async () => (await namesOf(session.tools)).includes('added'));
    expect((await run(session, 'added')).value).toBe('added later');
  },
  async images(session) {
    expect(await run(session, 'image')).toMatchObject({
      type: 'content',
      value: [
        { type: 'text', text: 'One pixel:' },
        {
          type: 'file',
          mediaType: 'image/png',
          data: { type: 'data', data: expect.stringContaining(pixelStart) },
        },
      ],
    });
  },
  async 'structured content'(session) {
    const output = await run(session, 'structured');
    expect(JSON.stringify(output.value)).toContain('17 degrees');
    expect(output.mcp?.structuredContent).toEqual({ degrees: 17 });
  },
  async isError(session) {
    expect(await run(session, 'fail')).toEqual({ type: 'error-text', value: 'No such train.' });
  },
  async crash(session) {
    expect(await run(session, 'crash')).toEqual(uncertain('crash'));
  },
  restart: session => restartAnd(session, 'echo', { text: 'again' }, /echo again/),
  async 'expired session'(session) {
    await session.server.forget();
    expect((await run(session, 'echo', { text: 'anew' })).value).toBe('echo anew');
  },
};

const everythingCells: Record<Row, Cell> = {
  async tools(session) {
    expect(await namesOf(session.tools)).toContain('get-sum');
    expect(await run(session, 'echo', { message: 'hi' })).toEqual({ type: 'text', value: 'Echo: hi' });
  },
  async progress(session) {
    const seen: number[] = [];
    const onProgress = ({ progress }: { progress: number }) => seen.push(progress);
    await run(session, 'trigger-long-running-operation', { duration: 4, steps: 4 }, { onProgress });
    // The server sends the last report together with the result, and the SDK may drop it.
    expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
  },
  async cancel(session) {
    await abortRunning(session, 'trigger-long-running-operation', { duration: 60, steps: 60 });
    expect((await run(session, 'echo', { message: 'still here' })).value).toBe('Echo: still here');
  },
  async 'elicitation form'(session) {
    await untilListed(session, 'trigger-elicitation-request');
    expect((await run(session, 'trigger-elicitation-request')).value).toContain('- Name: Ada');
  },
  async 'elicitation URL'(session) {
    await untilListed(session, 'trigger-url-elicitation');
    const url = 'https://shop.example/sign-in';
    const input = { url, message: 'Sign in.', elicitationId: 'sign-in-3' };
    const output = await run(session, 'trigger-url-elicitation', input);
    expect(output.type).not.toMatch(/error/);
    expect(session.asked.at(-1)).toEqual({ toolCallId: 'call of trigger-url-elicitation', url });
  },
  async sampling(session) {
    await untilListed(session, 'trigger-sampling-request');
    const output = await run(session, 'trigger-sampling-request', { prompt: 'Polly', maxTokens: 20 });
    expect(output.value).toContain('"model": "parrot"');
  },
  async resources({ tools }) {
    const [resource] = await tools.listResources('matrix');
    const { contents } = await tools.readResource('matrix', { uri: resource?.uri ?? '' });
    expect(contents).toMatchObject([{ uri: resource?.uri, text: expect.any(String) }]);
  },
  async prompts({ tools }) {
    const prompts = await tools.listPrompts('matrix');
    expect(prompts.map(({ name }) => name)).toContain('args-prompt');
    const { messages } = await tools.getPrompt('matrix', {
      name: 'args-prompt',
      arguments: { city: 'Bern' },
    });
    expect(JSON.stringify(messages)).toContain('Bern');
  },
  // The server registers the tools that need a callback after the connection is open.
  list_changed: session => untilListed(session, 'trigger-sampling-request'),
  async images(session) {
    expect((await run(session, 'get-tiny-image')).value).toEqual(
      expect.arrayContaining([
        {
          type: 'file',
          mediaType: 'image/png',
          data: { type: 'data', data: expect.stringContaining(pixelStart) },
        },
      ]),
    );
  },
  async 'structured content'(session) {
    const output = await run(session, 'get-structured-content', { location: 'New York' });
    expect(JSON.stringify(output)).toMatch(/temperature.*conditions.*humidity/);
  },
  async isError(session) {
    const input = { name: 'x.gz', data: 'file:///nowhere', outputType: 'resource' };
    expect((await run(session, 'gzip-file-as-resource', input)).type).toBe('error-text');
  },
  async crash(session) {
    const name = 'trigger-long-running-operation';
    let isRunning = false;
    const onProgress = () => {
      isRunning = true;
    };
    const pending = run(session, name, { duration: 60, steps: 240 }, { onProgress });
    await until(() => isRunning);
    session.server.signal('SIGKILL');
    expect(await pending).toEqual(uncertain(name));
  },
  restart: session => restartAnd(session, 'echo', { message: 'again' }, /Echo: again/),
  // The new process knows none of the sessions.
  'expired session': session => restartAnd(session, 'echo', { message: 'anew' }, /Echo: anew/),
};

const filesystemCells: Partial<Record<Row, Cell | string>> = {
  async tools(session) {
    expect(await namesOf(session.tools)).toContain('read_text_file');
    const output = await run(session, 'read_text_file', noteOf(session));
    expect(JSON.stringify(output.value)).toContain('Bring milk.');
  },
  async cancel(session) {
    session.server.signal('SIGSTOP');
    await abortRunning(session, 'read_text_file', noteOf(session));
    session.server.signal('SIGCONT');
    const output = await run(session, 'read_text_file', noteOf(session));
    expect(JSON.stringify(output.value)).toContain('Bring milk.');
  },
  async images(session) {
    const input = { path: `${session.server.folder}/pixel.png` };
    expect(JSON.stringify((await run(session, 'read_media_file', input)).value)).toContain(pixelStart);
  },
  async 'structured content'(session) {
    const output = await run(session, 'list_directory', { path: session.server.folder });
    expect(JSON.stringify(output)).toContain('note.txt');
    expect(JSON.stringify(output.mcp?.structuredContent ?? output.value)).toContain('pixel.png');
  },
  async isError(session) {
    const output = await run(session, 'read_text_file', { path: '/etc/hostname' });
    expect(output).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('outside allowed directories'),
    });
  },
  async crash(session) {
    session.server.signal('SIGSTOP');
    const pending = run(session, 'read_text_file', noteOf(session));
    // The pipe to a stopped process takes the request.
    await new Promise(resolve => setTimeout(resolve, 500));
    session.server.signal('SIGKILL');
    expect(await pending).toEqual(uncertain('read_text_file'));
  },
  restart: session => restartAnd(session, 'read_text_file', noteOf(session), /Bring milk/),
};

const noteOf = ({ server }: Session) => ({ path: `${server.folder}/note.txt` });

async function askUrl(session: Session): Promise<void> {
  expect(parse(await run(session, 'ask-url'))).toMatchObject({ action: 'accept' });
  expect(session.asked.at(-1)).toEqual({
    toolCallId: 'call of ask-url',
    url: 'https://shop.example/sign-in?code=17',
  });
}

/** Previous revisions know two forms: a request, and the error -32042. */
async function askUrlTwice(session: Session): Promise<void> {
  await askUrl(session);
  expect((await run(session, 'require-url')).value).toBe('"signed in"');
  expect(session.asked.at(-1)).toEqual({
    toolCallId: 'call of require-url',
    url: 'https://shop.example/sign-in?code=18',
  });
}

/** Starts the server again and calls a tool until the client has noticed it. */
async function restartAnd(
  session: Session,
  toolName: string,
  input: Record<string, unknown>,
  expected: RegExp,
): Promise<void> {
  await session.server.restart();
  await until(async () => expected.test(JSON.stringify((await run(session, toolName, input)).value)));
}

/** Aborts a call some time after its start, and expects the reason of the abort. */
async function abortRunning(
  session: Session,
  toolName: string,
  input: Record<string, unknown> = {},
): Promise<void> {
  const controller = new AbortController();
  const reason = new Error('the user went away');
  const pending = run(session, toolName, input, { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 200);
  await expect(pending).rejects.toBe(reason);
}

const untilListed = ({ tools }: Session, toolName: string): Promise<void> =>
  until(async () => (await namesOf(tools)).includes(toolName));

function run(
  { tools }: Session,
  toolName: string,
  input: Record<string, unknown> = {},
  {
    signal = new AbortController().signal,
    onProgress,
  }: { signal?: AbortSignal; onProgress?: Parameters<McpTools['callTool']>[1]['onProgress'] } = {},
): Promise<ToolOutput> {
  const toolCallId = `call of ${toolName}`;
  const callContext = { turnId: 'turn', round: 1, toolCallId, server: 'matrix' };
  return tools.callTool({ toolCallId, toolName, input }, { signal, onProgress, callContext });
}

const parse = ({ value }: ToolOutput): unknown => JSON.parse(String(value));

const uncertain = (toolName: string) => ({
  type: 'error-text',
  value: expect.stringContaining(`The tool "${toolName}" may or may not have been executed.`),
});
