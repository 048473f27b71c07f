import { describe, expect, it } from 'vitest';
import type { Fixture } from '../../../playground/server/bug-report.js';
import type { OtlpTraces } from '../../../playground/server/otlp/trace-data.js';
import type { Conversation } from '../../../playground/shared/playground-state.js';
import type { PageEvent, TurnPlace } from '../../../playground/shared/page-event.js';
import { filterTraces, noFilter, type TraceSummary } from '../../../playground/shared/trace-summary.js';
import { serveJson } from '../../_server.js';
import { startEmulator } from '../../testing/_emulator.js';
import { openPlayground, readTurn, type TestPlayground } from './_playground.js';
import { secrets } from './_secrets.js';

const listTraces = async ({ call }: TestPlayground): Promise<readonly TraceSummary[]> =>
  (await call('/api/traces')).json as TraceSummary[];

const setFault = ({ call }: TestPlayground, fault: string) =>
  call('/api/state', { method: 'PATCH', body: { fault } });

/** Waits for a turn that may have ended before its channel was open. */
const waitForEnd = async ({ call, watch }: TestPlayground, { conversationId, responseId }: TurnPlace) => {
  const channel = await watch(conversationId);
  const isEnd = (event: PageEvent) =>
    (event.type === 'turn-ended' && event.responseId === responseId) || undefined;
  const readEnd = async () => {
    const { json } = await call(`/api/conversations/${conversationId}`);
    return readTurn(json as Conversation, { responseId }).trace.end;
  };
  if ((await readEnd()) === undefined) await channel.until(isEnd);
  return (await call(`/api/conversations/${conversationId}`)).json as Conversation;
};

const spansOf = ({ resourceSpans }: OtlpTraces) =>
  resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));

describe('the list of traces', () => {
  it('has the turns of all conversations, filtered by text, error, latency, tokens and tool', async () => {
    const playground = await openPlayground();
    await playground.ask('Count the words in "one two three".', { id: 'conversation-1' });
    await setFault(playground, '500');
    await playground.ask('Hello', { id: 'conversation-2' });
    const traces = await listTraces(playground);
    const found = (filter: Partial<typeof noFilter>) =>
      filterTraces(traces, { ...noFilter, ...filter }).map(({ conversationId }) => conversationId);
    const [failed, counted] = traces;

    expect(found({})).toEqual(['conversation-2', 'conversation-1']);
    expect(failed).toMatchObject({ end: 'failed', hasError: true, tools: [] });
    expect(counted).toMatchObject({ end: 'finished', hasError: false, tools: [{ calls: 1 }] });
    expect(found({ text: 'ONE TWO' })).toEqual(['conversation-1']);
    expect(found({ outcome: 'error' })).toEqual(['conversation-2']);
    expect(found({ outcome: 'finished' })).toEqual(['conversation-1']);
    expect(found({ toolName: counted?.tools[0]?.toolName })).toEqual(['conversation-1']);
    expect(found({ minTokens: counted?.tokens })).toEqual(['conversation-1']);
    expect(found({ minTokens: (counted?.tokens ?? 0) + 1 })).toEqual([]);
    expect(found({ minDuration: Math.max(...traces.map(({ duration }) => duration)) + 1 })).toEqual([]);
  });
});

describe('the replay of a bug report', () => {
  const replay = async (playground: TestPlayground, report: unknown, turn = 0) => {
    const started = await playground.call('/api/traces/replay', { method: 'POST', body: { report, turn } });
    expect(started.status, started.text).toBe(202);
    return started.json as TurnPlace;
  };
  const readReport = async ({ call }: TestPlayground) =>
    (await call('/api/conversations/conversation-1/fixture')).json as Fixture;

  it('runs the turn with the recorded responses, and asks before each recorded call', async () => {
    const playground = await openPlayground();
    const original = await playground.ask('Count the words in "one two three".');
    const report = await readReport(playground);
    const other = await openPlayground();
    const place = await replay(other, report);
    const channel = await other.watch(place.conversationId);
    const approvalId = await channel.until(event =>
      event.type === 'turn'
        ? event.turn.events.find(one => one.type === 'approval-requested')?.approvalId
        : undefined,
    );
    await other.call(`/api/approvals/${approvalId}`, { method: 'POST', body: { approved: true } });
    const read = await waitForEnd(other, place);
    const replayed = readTurn(read);

    expect(replayed.text).toBe(original.text);
    expect(replayed.trace).toMatchObject({
      endpoint: 'emulator, replaying a recording',
      end: { end: 'finished' },
    });
    expect(read.threads.main?.[0]?.message.parts).toMatchObject([
      { text: 'Count the words in "one two three".' },
    ]);
  });

  it('runs a turn of an older version, whose report lacks the newer fields', async () => {
    const events = [
      { type: 'response.created', response: { id: 'resp_1', model: 'gpt-5', created_at: 1, output: [] } },
      {
        ...{ type: 'response.output_item.added', output_index: 0 },
        item: { type: 'message', id: 'msg_1', role: 'assistant', content: [] },
      },
      { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: 'An old answer.' },
      {
        ...{ type: 'response.output_item.done', output_index: 0 },
        item: { type: 'message', id: 'msg_1', role: 'assistant', content: [] },
      },
      {
        type: 'response.completed',
        response: { id: 'resp_1', model: 'gpt-5', output: [], usage: { input_tokens: 3, output_tokens: 4 } },
      },
    ];
    // Without `toolCallId`, `headers`, `modelId`, `flag` and `end`.
    const report = {
      format: 'kelivo-responses/bug-report@1',
      createdAt: '2026-09-01T00:00:00.000Z',
      runtime: { node: 'v20.0.0', platform: 'linux' },
      turns: [
        {
          ...{ thread: 'main', adapters: [], warnings: [] },
          exchanges: [
            {
              round: 1,
              request: {
                ...{ method: 'POST', url: 'http://127.0.0.1/v1/responses', headers: {} },
                body: { model: 'gpt-5', input: [{ role: 'user', content: 'An old question' }] },
              },
              status: 200,
              body: events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
            },
          ],
        },
      ],
    };
    const playground = await openPlayground();
    const read = await waitForEnd(playground, await replay(playground, report));

    expect(readTurn(read)).toMatchObject({ text: 'An old answer.', trace: { end: { end: 'finished' } } });
    expect(read.threads.main?.[0]?.message.parts).toMatchObject([{ text: 'An old question' }]);
  });

  it.each(['500', 'html', 'cut', 'failed', 'malformed', 'early-end'])(
    'ends as the fault "%s" did',
    async fault => {
      const playground = await openPlayground();
      await setFault(playground, fault);
      const original = await playground.ask('Hello');
      const place = await replay(playground, await readReport(playground));
      const { text, trace } = readTurn(await waitForEnd(playground, place));

      const withoutPort = (message = '') => message.replace(/127\.0\.0\.1:\d+/, '');
      expect(trace.end?.end).toBe(original.trace.end?.end);
      expect(withoutPort(trace.end?.message)).toBe(withoutPort(original.trace.end?.message));
      expect(text).toBe(original.text);
    },
  );

  it('is refused for anything but a report with requests', async () => {
    const { call } = await openPlayground();
    const post = (body: unknown) => call('/api/traces/replay', { method: 'POST', body });
    const responses = await Promise.all([
      post({ report: { format: 'other', turns: [] }, turn: 0 }),
      post({
        report: {
          format: 'kelivo-responses/bug-report@1',
          turns: [{ thread: 'main', adapters: [], warnings: [], exchanges: [] }],
        },
        turn: 0,
      }),
    ]);

    expect(responses.map(({ status }) => status)).toEqual([400, 400]);
    expect(responses[0]?.text).toContain('Expected a bug report with the format');
    expect(responses[1]?.text).toContain('Expected a turn with recorded requests');
  });
});

describe('the replay of a report from anyone', () => {
  const toReport = (exchange: object) => ({
    format: 'kelivo-responses/bug-report@1',
    turns: [{ thread: 'main', adapters: [], warnings: [], exchanges: [exchange] }],
  });
  const request = { method: 'POST', url: 'http://127.0.0.1/v1/responses', headers: {}, body: {} };
  const exchange = { round: 1, request, status: 200, headers: {}, body: '', end: 'complete' };

  it.each([
    ['no report', undefined, 0],
    ['null', null, 0],
    ['a list', [], 0],
    ['turns that are no list', { ...toReport(exchange), turns: 'all' }, 0],
    ['a turn that is no object', { ...toReport(exchange), turns: [7] }, 0],
    ['an exchange without a request', toReport({ round: 1, body: '' }), 0],
    ['a status below 200', toReport({ ...exchange, status: 101 }), 0],
    ['a body that is no text', toReport({ ...exchange, body: { a: 1 } }), 0],
    ['a turn that it lacks', toReport(exchange), 1],
    ['a negative turn', toReport(exchange), -1],
    ['half a turn', toReport(exchange), 0.5],
  ])('is refused with %s', async (_title, report, turn) => {
    const { call } = await openPlayground();
    const { status, json } = await call('/api/traces/replay', { method: 'POST', body: { report, turn } });
    expect(status).toBe(400);
    expect(json).toEqual({ error: expect.stringMatching(/expected/i) });
  });

  it.each([
    ['an empty response', {}],
    ['a status without a body', { status: 204, body: 'text' }],
    [
      'an invalid header',
      { headers: { 'content-type': 'text/plain\r\nx-injected: 1', 'retry-after': '\u0000' } },
    ],
    [
      'a request that is no conversation',
      { request: { ...request, body: { input: [null, 7, { role: 'user', content: 3 }] } } },
    ],
    ['an event that is no object', { body: 'data: 7\n\ndata: null\n\n' }],
    ['an event of an unknown type', { body: 'data: {"type":"__proto__","item":null}\n\n' }],
  ])('ends with %s', async (_title, part) => {
    const playground = await openPlayground();
    const body = { report: toReport({ ...exchange, ...part }), turn: 0 };
    const { status, text, json } = await playground.call('/api/traces/replay', { method: 'POST', body });
    expect(status, text).toBe(202);
    const conversation = await waitForEnd(playground, json as TurnPlace);
    expect(readTurn(conversation).trace.end).toMatchObject({
      end: 'failed',
      message: expect.stringMatching(/./),
    });
    expect((await playground.call('/api/state')).status).toBe(200);
  });
});

describe('the OpenTelemetry export', () => {
  it('sends each turn to the collector of the environment, as it can be downloaded, without secrets', async () => {
    const collector = await serveJson({});
    const emulator = await startEmulator();
    const playground = await openPlayground({
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b' },
    });
    const key = secrets.github.join('');
    await playground.call('/api/state', { method: 'PATCH', body: { endpoint: emulator.baseURL } });
    emulator.enqueue([{ call: 'word-count', arguments: { text: key } }], [{ text: `The key is ${key}` }]);
    const { request, ended } = await playground.begin(`Count ${key}`);
    await ended();
    const download = await playground.call(`/api/traces/${request.responseId}/otlp`);
    await playground.close();
    const [sent] = collector.requests;
    const spans = spansOf(sent?.body as unknown as OtlpTraces);
    const parents = new Map(spans.map(({ spanId, name }) => [spanId, name]));

    expect(sent).toMatchObject({ path: '/v1/traces', headers: { 'x-team': 'a b' } });
    expect(download.json).toEqual(sent?.body);
    expect(download.text).not.toContain(key);
    expect(spans.map(({ name, parentSpanId }) => [name, parents.get(parentSpanId ?? '')])).toEqual([
      ['invoke_agent', undefined],
      ['chat gpt-5', 'invoke_agent'],
      ['chat gpt-5', 'invoke_agent'],
      ['POST', 'chat gpt-5'],
      ['POST', 'chat gpt-5'],
      [expect.stringMatching(/^execute_tool /), 'chat gpt-5'],
    ]);
    for (const { startTimeUnixNano, endTimeUnixNano } of spans)
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  });
});
