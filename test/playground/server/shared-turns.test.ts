import { describe, expect, it } from 'vitest';
import type { PageEvent } from '../../../playground/shared/page-event.js';
import type {
  Conversation,
  ListedConversation,
  TurnRequest,
} from '../../../playground/shared/playground-state.js';
import { openDatabase } from '../../../playground/server/store/database.js';
import { createConversationStore } from '../../../playground/server/store/conversations.js';
import { packJson, unpackJson } from '../../../playground/server/store/pieces.js';
import { startEmulator } from '../../testing/_emulator.js';
import { everythingOverStdio } from '../../tools/mcp/_everything-server.js';
import { makeFolder, openPlayground, readTurn, type TestPlayground } from './_playground.js';

const post = ({ call }: TestPlayground, body: TurnRequest) => call('/api/turns', { method: 'POST', body });

const read = async ({ call }: TestPlayground): Promise<Conversation> =>
  (await call('/api/conversations/conversation-1')).json as Conversation;

const ended = (responseId: string) => (event: PageEvent) =>
  (event.type === 'turn-ended' && event.responseId === responseId) || undefined;

/** A turn that answers a message again, or continues it. */
const again = (parentId: string): TurnRequest => ({
  conversationId: 'conversation-1',
  thread: 'main',
  responseId: crypto.randomUUID(),
  parentId,
});

async function run(playground: TestPlayground, request: TurnRequest): Promise<void> {
  const channel = await playground.watch();
  await post(playground, request);
  await channel.until(ended(request.responseId));
}

async function withEndpoint() {
  const emulator = await startEmulator();
  const playground = await openPlayground();
  await playground.call('/api/state', { method: 'PATCH', body: { endpoint: emulator.baseURL } });
  return { emulator, playground };
}

describe('a message that is sent', () => {
  it('twice under its id is stored once and answered once', async () => {
    const { emulator, playground } = await withEndpoint();
    emulator.enqueue({ fault: 'stall', after: 3 });
    const first = await playground.begin('Hello');
    const whileRunning = await post(playground, first.request);
    const otherPage = await post(playground, { ...first.request, responseId: crypto.randomUUID() });
    await first.channel.until(
      event => (event.type === 'turn' && event.turn.events.some(({ type }) => type === 'wire')) || undefined,
    );
    await playground.call(`/api/turns/${first.request.responseId}/stop`, { method: 'POST' });
    await first.ended();
    const afterwards = await post(playground, first.request);
    const { threads } = await read(playground);

    expect(first.response.status).toBe(202);
    for (const { status, json } of [whileRunning, otherPage, afterwards])
      expect({ status, json }).toEqual({ status: 200, json: { responseId: first.request.responseId } });
    expect(emulator.requests).toHaveLength(1);
    expect(threads.main?.map(({ message }) => message.role)).toEqual(['user', 'assistant']);
  });

  it('again with another text under its id is rejected, and nothing changes', async () => {
    const { emulator, playground } = await withEndpoint();
    const { request, ended: hasEnded } = await playground.begin('Hello');
    await hasEnded();
    const message = {
      id: request.message?.id ?? '',
      role: 'user' as const,
      parts: [{ type: 'text' as const, text: 'Other' }],
    };
    const { status } = await post(playground, { ...request, responseId: crypto.randomUUID(), message });

    expect(status).toBe(409);
    expect(emulator.requests).toHaveLength(1);
    expect(JSON.stringify(await read(playground))).not.toContain('Other');
  });

  it('during another turn of its thread is rejected and not stored', async () => {
    const { emulator, playground } = await withEndpoint();
    emulator.enqueue({ fault: 'stall', after: 3 });
    const first = await playground.begin('Hello');
    const second = await playground.begin('Me too');
    await playground.call(`/api/turns/${first.request.responseId}/stop`, { method: 'POST' });
    await first.ended();

    expect(second.response).toMatchObject({
      status: 409,
      json: { error: expect.stringContaining('still running') },
    });
    expect(JSON.stringify(await read(playground))).not.toContain('Me too');
  });

  it('with 250,000 characters arrives whole, and a longer one than allowed is rejected with the limit', async () => {
    const { emulator, playground } = await withEndpoint();
    emulator.enqueue([{ text: 'Read.' }]);
    const { text } = await playground.ask('word '.repeat(50_000));
    const { response } = await playground.begin('x'.repeat(1_000_001), { id: 'conversation-2' });

    expect(text).toBe('Read.');
    expect(JSON.stringify(emulator.requests[0]?.body).length).toBeGreaterThan(249_000);
    expect(response).toMatchObject({
      status: 400,
      json: { error: expect.stringMatching(/at most 1,000,000 characters/) },
    });
  });
});

describe('asking again', () => {
  it('keeps the previous response until the new one is complete', async () => {
    const { emulator, playground } = await withEndpoint();
    // The round is requested twice more before its error ends the turn.
    const broken = { fault: 'failed', after: 6, output: [{ text: 'Second one' }] } as const;
    emulator.enqueue([{ text: 'First.' }], broken, broken, broken, [{ text: 'Third.' }]);
    const { request, ended: hasEnded } = await playground.begin('Hello');
    await hasEnded();
    const question = request.message?.id ?? '';
    const failed = again(question);
    await run(playground, failed);
    const afterFailure = await read(playground);
    const complete = again(question);
    await run(playground, complete);
    const afterwards = await read(playground);
    await playground.call('/api/conversations/conversation-1/shown', {
      method: 'PUT',
      body: { messageId: failed.responseId },
    });
    const shown = await read(playground);

    expect(readTurn(afterFailure).text).toBe('First.');
    expect(afterFailure.threads.main?.at(-1)).toMatchObject({
      versions: [request.responseId, failed.responseId],
      failedVersion: { id: failed.responseId, end: 'failed', message: expect.any(String) },
    });
    expect(readTurn(afterwards).text).toBe('Third.');
    expect(afterwards.threads.main?.at(-1)?.versions).toHaveLength(3);
    expect(readTurn(shown).text).toContain('Second');
    // Each attempt answers the same history.
    expect(emulator.requests.map(({ body }) => JSON.stringify(body))).toEqual(
      Array.from({ length: 5 }, () => JSON.stringify(emulator.requests[0]?.body)),
    );
  });

  it('answers a message whose send failed, and not the previous one', async () => {
    const { emulator, playground } = await withEndpoint();
    await playground.ask('One');
    emulator.enqueue({ status: 500 });
    const second = await playground.begin('Two');
    await second.ended();
    await run(playground, again(second.request.message?.id ?? ''));
    const { threads } = await read(playground);

    expect(
      threads.main?.map(({ message: { parts } }) =>
        parts.flatMap(part => (part.type === 'text' ? part.text : [])).join(''),
      ),
    ).toEqual(['One', 'You said: One', 'Two', 'You said: Two']);
  });
});

describe('a limit', () => {
  it('of rounds is reported as such, and the response can be continued', async () => {
    const { emulator, playground } = await withEndpoint();
    const calls = Array.from({ length: 19 }, (_, index) => [
      { call: 'word-count', arguments: { text: 'word '.repeat(index + 1) } },
    ]);
    emulator.enqueue(...calls, [{ text: 'Not finished.' }], [{ text: 'Finished.' }]);
    const { trace } = await playground.ask('Count');
    const limited = (await read(playground)).threads.main?.at(-1)?.message.id ?? '';
    await run(playground, again(limited));
    const { threads } = await read(playground);

    expect(trace.rounds).toHaveLength(20);
    expect(trace.end).toMatchObject({ end: 'limit', message: expect.stringContaining('limit of rounds') });
    expect(threads.main?.map(({ message }) => message.role)).toEqual(['user', 'assistant', 'assistant']);
    expect(readTurn({ threads } as Conversation).text).toBe('Finished.');
    expect(JSON.stringify(emulator.requests.at(-1)?.body)).toContain('Not finished.');
  });

  it('of output tokens is reported as such', async () => {
    const { emulator, playground } = await withEndpoint();
    emulator.enqueue({
      output: [{ text: 'Trunc' }],
      events: events =>
        events.map(event =>
          event.type !== 'response.completed'
            ? event
            : {
                ...event,
                type: 'response.incomplete',
                response: {
                  ...(event.response as object),
                  status: 'incomplete',
                  incomplete_details: { reason: 'max_output_tokens' },
                },
              },
        ),
    });
    const { trace } = await playground.ask('Hello');

    expect(trace.end).toMatchObject({ end: 'limit', message: expect.stringContaining('output tokens') });
  });
});

describe('two pages', () => {
  it('see the same state, turns and approvals', async () => {
    const playground = await openPlayground({ mcpServers: { everything: everythingOverStdio() } });
    const pages = [await playground.watch(), await playground.watch()];
    await playground.call('/api/state', {
      method: 'PATCH',
      body: { approvals: 'always', modelId: 'gpt-5-mini' },
    });
    const { ended: hasEnded } = await playground.begin('Get the sum of 1 and 2.');
    const late = await playground.watch();
    const isWaiting = ({ pendingApprovals }: ListedConversation): boolean => pendingApprovals > 0;
    const approvals = await Promise.all(
      [...pages, late].map(page =>
        page.until(event =>
          event.type === 'turn'
            ? event.turn.events.find(one => one.type === 'approval-requested')
            : undefined,
        ),
      ),
    );
    const listed = await playground.watch('conversation-2');
    const waiting = await listed.until(event =>
      event.type === 'conversations' ? event.conversations.find(isWaiting) : undefined,
    );
    const [approval] = approvals;
    if (approval?.type !== 'approval-requested') throw new Error('Expected an approval.');
    await playground.call(`/api/approvals/${approval.approvalId}`, {
      method: 'POST',
      body: { approved: true },
    });
    const { trace } = await hasEnded();
    const models = await Promise.all(
      pages.map(page =>
        page.until(
          event => (event.type === 'state' && event.state.settings.modelId === 'gpt-5-mini') || undefined,
        ),
      ),
    );

    // The everything server calls this tool read-only.
    expect(approvals.map(one => one.type === 'approval-requested' && one.toolName)).toEqual(
      Array.from({ length: 3 }, () => 'get-sum'),
    );
    expect(new Set(approvals.map(one => JSON.stringify(one))).size).toBe(1);
    expect(waiting).toMatchObject({ id: 'conversation-1', runningTurns: 1, pendingApprovals: 1 });
    expect(trace.approvals).toMatchObject([{ approved: true }]);
    expect(models).toEqual([true, true]);
  });

  it('are told about changes of MCP servers', async () => {
    const playground = await openPlayground({
      mcpServers: { everything: { ...everythingOverStdio(), trustAnnotations: true } },
    });
    const page = await playground.watch();
    const server = await page.until(event =>
      event.type === 'servers' ? event.servers.servers.find(({ state }) => state === 'ready') : undefined,
    );

    expect(server.name).toBe('everything');
  });
});

describe('a provider that fails on the stream of another server', () => {
  it('is reported with the event on which it failed, while the turn of the other one finishes', async () => {
    const playground = await openPlayground();
    await playground.call('/api/state', { method: 'PATCH', body: { fault: 'vllm', faultRequest: 0 } });
    const official = await playground.ask('Hello', {
      thread: 'left',
      side: { flag: 'official', modelId: 'gpt-5' },
    });
    const own = await playground.ask('Hello', { thread: 'right' });
    const cause = { exchange: 1, event: expect.any(Number), eventName: expect.stringContaining('delta') };

    expect(official.trace.end).toMatchObject({ end: 'failed' });
    expect(official.trace.problems).toMatchObject([
      { message: expect.stringMatching(/sent (text|reasoning)-delta of the block .* without/), ...cause },
      { message: expect.stringContaining('The provider threw'), exchange: 1, event: expect.any(Number) },
    ]);
    expect(own.text).toBe('You said: Hello');
    expect(own.trace).toMatchObject({ end: { end: 'finished' }, problems: [] });
  });
});

describe('the storage', () => {
  it('returns packed values unchanged', () => {
    const pieces = new Map<string, string>();
    const put = (hash: string, json: string): void => void pieces.set(hash, json);
    const value = {
      $piece: 'x',
      $$runs: [{ $: 1 }],
      list: Array.from({ length: 40 }, (_, index) => ({ role: 'user', content: `message ${index}` })),
      text: 'long '.repeat(100),
      nothing: null,
    };
    const packed = packJson(value, { put });

    expect(unpackJson(packed, { get: hash => pieces.get(hash) })).toEqual(value);
    expect(JSON.stringify(packed).length).toBeLessThan(JSON.stringify(value).length / 3);
  });

  it('grows with the messages and not with their square: 100 turns that repeat tools and history', async () => {
    const folder = await makeFolder();
    const database = openDatabase(folder);
    const store = createConversationStore(database);
    store.open('conversation-1', { mode: 'chat', title: 'x' });
    const tools = Array.from({ length: 20 }, (_, index) => ({
      name: `tool-${index}`,
      description: 'words '.repeat(50),
    }));
    const sizeAfter: number[] = [];
    const input: unknown[] = [];
    const page = () =>
      (
        database
          .prepare('SELECT sum(length(trace)) + (SELECT sum(length(json)) FROM pieces) AS size FROM messages')
          .get() as { size: number }
      ).size;
    for (let turn = 0; turn < 100; turn++) {
      const place = {
        conversationId: 'conversation-1',
        thread: 'main',
        parentId: turn === 0 ? null : `a${turn - 1}`,
      } as const;
      input.push({ role: 'user', content: [{ type: 'input_text', text: `Question ${turn}` }] });
      store.addQuestion(place, {
        id: `q${turn}`,
        role: 'user',
        parts: [{ type: 'text', text: `Question ${turn}` }],
      });
      store.addResponse(
        { ...place, parentId: `q${turn}` },
        { id: `a${turn}`, role: 'assistant', parts: [] },
        [
          {
            type: 'request',
            at: 0,
            exchange: 1,
            round: 1,
            method: 'POST',
            url: 'http://127.0.0.1/',
            headers: {},
            body: { model: 'm', input: [...input], tools },
          },
          {
            type: 'wire',
            at: 1,
            exchange: 1,
            name: 'response.created',
            data: { response: { id: `r${turn}`, tools } },
          },
          { type: 'turn-end', at: 2, end: 'finished' },
        ],
      );
      input.push({ role: 'assistant', content: [{ type: 'output_text', text: `Answer ${turn}` }] });
      sizeAfter.push(page());
    }
    const trace = store.readTrace('conversation-1', 'a99');
    database.close();
    const [half = 0, whole = 0] = [sizeAfter[49], sizeAfter[99]];

    expect(trace?.[0]).toMatchObject({ body: { tools, input: input.slice(0, -1) } });
    // A repeated history would add three times as much in the second half.
    expect((whole - half) / half).toBeLessThan(1.6);
    expect(whole).toBeLessThan(300_000);
  });
});
