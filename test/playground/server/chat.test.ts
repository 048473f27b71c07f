import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PageEvent } from '../../../playground/shared/page-event.js';
import type { Conversation, TurnRequest } from '../../../playground/shared/playground-state.js';
import type { TraceEvent } from '../../../playground/shared/trace-event.js';
import { startEmulator } from '../../testing/_emulator.js';
import { everythingOverStdio, referenceServerScript } from '../../tools/mcp/_everything-server.js';
import { openPlayground, readTurn, type TestPlayground } from './_playground.js';

const SUM_AND_COUNT = 'First get the sum of 17 and 25, then count the words in "one two three".';

/** Most of its tools are read-only, so that they run without approval. */
const trustedServer = () => ({ ...everythingOverStdio(), trustAnnotations: true });

const readConversation = async ({ call }: TestPlayground): Promise<Conversation> =>
  (await call('/api/conversations/conversation-1')).json as Conversation;

const hasEvent = (type: TraceEvent['type']) => (event: PageEvent) =>
  event.type === 'turn' ? event.turn.events.find(one => one.type === type) : undefined;

const hasChunk = (type: string) => (event: PageEvent) =>
  event.type === 'turn' ? event.turn.chunks.find(chunk => chunk.type === type) : undefined;

const hasEnded = (responseId: string) => (event: PageEvent) =>
  (event.type === 'turn-ended' && event.responseId === responseId) || undefined;

const validTurn: TurnRequest = {
  conversationId: 'conversation-1',
  thread: 'main',
  responseId: 'response-1',
  parentId: null,
  message: { id: 'message-1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
};

describe.each(['kelivo', 'official'] as const)('a turn of %s', flag => {
  const side = { flag, modelId: 'gpt-5' };

  it('records rounds, requests, events, tools and tokens', async () => {
    const { ask } = await openPlayground({ mcpServers: { everything: trustedServer() } });
    const { trace, text } = await ask(SUM_AND_COUNT, { side });

    expect(text).toContain('The sum of 17 and 25 is 42.');
    expect(text).toContain('"words":3');
    expect(trace.flag).toBe(flag);
    expect(trace.rounds.map(({ finishReason }) => finishReason)).toEqual([
      'tool-calls',
      'tool-calls',
      'stop',
    ]);
    expect(trace.exchanges.map(({ round, status }) => [round, status])).toEqual([
      [1, 200],
      [2, 200],
      [3, 200],
    ]);
    expect(trace.tools).toMatchObject([
      { toolName: 'get-sum', round: 1, state: 'done' },
      { toolName: 'word-count', round: 2, state: 'done' },
    ]);
    for (const { events, end, request } of trace.exchanges) {
      expect(events[0]?.name).toBe('response.created');
      expect(events.at(-1)?.name).toBe('response.completed');
      expect(end?.end).toBe('complete');
      expect(request.body).toMatchObject({ model: 'gpt-5', stream: true });
    }
    expect(trace.firstTokenAt).toBeGreaterThan(0);
    expect(trace.end?.end).toBe('finished');
    const inputs = trace.rounds.map(({ usage }) => usage?.inputTokens ?? 0);
    expect(trace.usage?.inputTokens).toBe(inputs.reduce((sum, count) => sum + count, 0));
  });

  it('records the first token with its event, although many events arrive at once', async () => {
    const emulator = await startEmulator();
    const { call, ask } = await openPlayground();
    await call('/api/state', { method: 'PATCH', body: { endpoint: emulator.baseURL } });
    emulator.enqueue([{ text: 'one two three four five six' }]);
    const { events } = await ask('Hello', { side });
    const firstDelta = events.findIndex(event => event.type === 'wire' && event.name.endsWith('.delta'));

    expect(events.findIndex(({ type }) => type === 'first-token')).toBe(firstDelta + 1);
  });

  it('continues the history of the other provider', async () => {
    const playground = await openPlayground({ mcpServers: { everything: trustedServer() } });
    const flags = flag === 'kelivo' ? ['official', 'kelivo'] : ['kelivo', 'official'];
    await playground.call('/api/state?conversation=conversation-1', {
      method: 'PATCH',
      body: { flag: flags[0] },
    });
    await playground.ask(SUM_AND_COUNT);
    await playground.call('/api/state?conversation=conversation-1', {
      method: 'PATCH',
      body: { flag: flags[1] },
    });
    const { trace } = await playground.ask('Get the sum of 1 and 2.');

    expect(trace.flag).toBe(flag);
    expect(trace.end?.end).toBe('finished');
    expect(JSON.stringify(trace.exchanges[0]?.request.body)).toContain('The sum of 17 and 25 is 42.');
  });
});

describe('a turn', () => {
  it('survives a restart with its trace', async () => {
    const first = await openPlayground();
    await first.ask('Hello');
    await first.close();
    const second = await openPlayground({ folder: first.folder });
    const list = await second.call('/api/conversations');
    const { trace, text } = readTurn(await readConversation(second));

    expect(list.json).toMatchObject([{ id: 'conversation-1', title: 'Hello', mode: 'chat' }]);
    expect(text).toBe('You said: Hello');
    expect(trace.end?.end).toBe('finished');
  });

  it('is stopped at the endpoint, which notices the closed connection', async () => {
    const playground = await openPlayground();
    await playground.call('/api/state', { method: 'PATCH', body: { fault: 'slow', faultRequest: 1 } });
    const { request, channel, ended } = await playground.begin('Hello');
    await channel.until(hasEvent('wire'));
    const path = `/api/turns/${request.responseId}/stop`;
    const stopped = await playground.call(path, { method: 'POST' });
    const { trace } = await ended();

    expect(stopped.json).toEqual({ isStopped: true });
    expect(trace.end?.end).toBe('stopped');
    expect(trace.exchanges).toMatchObject([{ end: { end: 'aborted' }, isDisconnectNoticed: true }]);
    expect((await playground.call(path, { method: 'POST' })).json).toEqual({ isStopped: false });
  });

  it('continues when its page disconnects, and another page receives it from its beginning', async () => {
    const playground = await openPlayground();
    const { request, channel } = await playground.begin(`Say ${'ipsum '.repeat(60)}`);
    await channel.until(hasChunk('text-delta'));
    await channel.close();
    const other = await playground.watch();
    const first = await other.until(event => (event.type === 'turn' ? event.turn : undefined));
    await other.until(hasEnded(request.responseId));
    const deltas = other.events
      .flatMap(event => (event.type === 'turn' ? event.turn.chunks : []))
      .map(chunk => (chunk.type === 'text-delta' ? chunk.delta : ''));
    const { text, trace } = readTurn(await readConversation(playground));

    expect(first).toMatchObject({
      isFirst: true,
      chunks: expect.arrayContaining([{ type: 'start', messageId: request.responseId }]),
    });
    expect(first.events[0]?.type).toBe('turn-start');
    expect(trace.end?.end).toBe('finished');
    expect(deltas.join('')).toBe(text);
  });

  it.each([
    { body: {}, reason: 'conversationId' },
    { body: { ...validTurn, conversationId: '../etc' }, reason: 'Expected an id' },
    { body: { ...validTurn, thread: 'other' }, reason: 'thread' },
    { body: { ...validTurn, message: { id: 'message-1', role: 'system', parts: [] } }, reason: 'message' },
    { body: { ...validTurn, message: undefined }, reason: 'Expected a message' },
  ])('is not started by a request with an invalid $reason', async ({ body, reason }) => {
    const { call } = await openPlayground();
    const { status, json } = await call('/api/turns', { method: 'POST', body });

    expect(status).toBe(400);
    expect(json).toMatchObject({ error: expect.stringContaining(reason) });
  });
});

describe('an approval', () => {
  const withFiles = async () => {
    const playground = await openPlayground();
    const files = path.join(playground.folder, 'files');
    const server = { command: process.execPath, args: [referenceServerScript('filesystem'), files] };
    const config = JSON.stringify({ mcpServers: { files: server } });
    await playground.call('/api/servers', { method: 'PUT', body: { config } });
    const body = { config, code: playground.code() };
    await playground.call('/api/servers', { method: 'PUT', body });
    const file = path.join(files, 'hello.txt');
    const { channel, ended } = await playground.begin(`write_file with path "${file}" and content "Hi."`);
    const pending = await channel.until(hasEvent('approval-requested'));
    const approvalId = pending.type === 'approval-requested' ? pending.approvalId : '';
    return { playground, file, ended, approvalId };
  };

  it('lets a destructive tool run', async () => {
    const { playground, file, ended, approvalId } = await withFiles();
    await playground.call(`/api/approvals/${approvalId}`, { method: 'POST', body: { approved: true } });
    const { trace } = await ended();

    expect(await readFile(file, 'utf8')).toBe('Hi.');
    expect(trace.approvals).toMatchObject([{ toolName: 'write_file', server: 'files', approved: true }]);
    expect(trace.tools).toMatchObject([{ toolName: 'write_file', state: 'done' }]);
  });

  it('of all further calls of a destructive tool needs a confirmation', async () => {
    const { playground, file, ended, approvalId } = await withFiles();
    const decide = (body: object) =>
      playground.call(`/api/approvals/${approvalId}`, { method: 'POST', body: { approved: true, ...body } });
    const first = await decide({ scope: 'always' });
    const policies = (await playground.call('/api/state')).json;

    expect([first.status, first.text]).toEqual([409, expect.stringContaining('can destroy data')]);
    expect(policies).toMatchObject({ policies: [] });
    await expect(readFile(file)).rejects.toThrow('ENOENT');
    expect((await decide({ scope: 'always', isConfirmed: true })).status).toBe(200);
    expect((await playground.call('/api/state')).json).toHaveProperty('policies', [
      { server: 'files', tool: 'write_file' },
    ]);
    await ended();
    expect(await readFile(file, 'utf8')).toBe('Hi.');
  });

  it('prevents a tool call, and the model receives the reason', async () => {
    const { playground, file, ended, approvalId } = await withFiles();
    const decision = { approved: false, reason: 'Not today.' };
    await playground.call(`/api/approvals/${approvalId}`, { method: 'POST', body: decision });
    const { text } = await ended();
    const late = await playground.call(`/api/approvals/${approvalId}`, { method: 'POST', body: decision });

    await expect(readFile(file)).rejects.toThrow('ENOENT');
    expect(text).toContain('Not today.');
    expect(late.status).toBe(410);
  });
});

describe('a fault of the emulator', () => {
  it.each([
    { fault: 'cut', reason: /connection/i },
    { fault: 'early-end', reason: /end/i },
    { fault: 'error-event', reason: /error/i },
    { fault: 'failed', reason: /error/i },
    { fault: '429', reason: /rate limit/i },
    { fault: '500', reason: /error/i },
    { fault: 'html', reason: /html/i },
    { fault: 'empty', reason: /empty|nothing|no/i },
    { fault: 'chat-completions', reason: /chat/i },
  ])('$fault fails the turn with its reason', async ({ fault, reason }) => {
    const { call, ask } = await openPlayground();
    await call('/api/state', { method: 'PATCH', body: { fault, faultRequest: 1 } });
    const { trace } = await ask('Hello');

    expect(trace.fault).toBe(fault);
    expect(trace.end).toMatchObject({ end: 'failed', message: expect.stringMatching(reason) });
  });

  it('in the second request occurs after the tools of the first', async () => {
    const { call, ask } = await openPlayground();
    await call('/api/state', { method: 'PATCH', body: { fault: 'failed', faultRequest: 2 } });
    const { trace } = await ask('Count the words in "one two three".');

    expect(trace.tools).toMatchObject([{ toolName: 'word-count', state: 'done' }]);
    expect(trace.end?.end).toBe('failed');
  });

  it.each(['vllm', 'llama.cpp', 'ollama', 'no-deltas', 'terminal-only'])(
    'that imitates the dialect of %s does not change the response',
    async fault => {
      const { call, ask } = await openPlayground();
      await call('/api/state', { method: 'PATCH', body: { fault, faultRequest: 0 } });
      const { trace, text } = await ask('Count the words in "one two three".');

      expect(trace.end?.end).toBe('finished');
      expect(trace.firstTokenAt).toBeGreaterThan(0);
      expect(trace.tools).toMatchObject([{ toolName: 'word-count', state: 'done' }]);
      expect(text).toContain('"words":3');
    },
  );

  it('that writes a call as text is corrected by the enabled adapter of the family', async () => {
    const { call, ask } = await openPlayground();
    const setup = { fault: 'text-calls-qwen-xml', faultRequest: 0, modelId: 'qwen3-coder-30b' };
    const { json } = await call('/api/state', { method: 'PATCH', body: setup });
    const adapted = await ask('Count the words in "one two three".');
    await call('/api/state', { method: 'PATCH', body: { disabledAdapters: ['qwen'] } });
    const bare = await ask('Count the words in "one two three".', { id: 'conversation-2' });

    expect(json).toMatchObject({ adapters: [{ name: 'qwen', isOn: true }] });
    expect(adapted.trace.adapters).toEqual(['qwen']);
    expect(adapted.trace.tools).toMatchObject([{ toolName: 'word-count', state: 'done' }]);
    expect(bare.trace.tools).toEqual([]);
    expect(bare.text).toContain('<tool_call>');
  });
});
