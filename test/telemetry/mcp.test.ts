import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { context, createTraceState, propagation, SpanKind, trace } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createMcpTools, type McpServers, type McpTools } from '../../src/tools/mcp/index.js';
import { createTelemetry, type TelemetryOptions } from '../../src/telemetry/index.js';
import { withToolLoop } from '../../src/tool-loop/index.js';
import { everythingOverStdio, startEverythingServer } from '../tools/mcp/_everything-server.js';
import { call, callRound, ofType, scriptedModel, stream, textRound } from '../tool-loop/_scripted-model.js';
import { useRecorder } from './_recorder.js';

const recorder = useRecorder();
const script = fileURLToPath(new URL('_meta-server.mjs', import.meta.url));
const SECRET = 'canary-environment-0123456789';

const stdio: McpServers = {
  meta: { command: process.execPath, args: [script], env: { SECRET } },
};
const http: { servers: McpServers; port: number } = { servers: {}, port: 0 };
const httpServer = spawn(process.execPath, [script, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
beforeAll(async () => {
  const [port] = (await once(createInterface({ input: httpServer.stdout }), 'line')) as [string];
  http.port = Number(port);
  http.servers = { meta: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } };
});
afterAll(() => void httpServer.kill());

async function startOverHttp() {
  const { config, close } = await startEverythingServer('streamableHttp');
  onTestFinished(close);
  return config;
}

let opened: McpTools[] = [];
afterEach(async () => {
  await Promise.all(opened.map(tools => tools.close()));
  opened = [];
});

function open(servers: McpServers, options?: Parameters<typeof createMcpTools>[1]): McpTools {
  const tools = createMcpTools(servers, options);
  opened.push(tools);
  return tools;
}

/** Runs a turn with one call, inside of a span, and returns the `_meta` that the server received. */
async function turn(
  tools: McpTools,
  { tool = 'meta', name = 'request', ...telemetry }: TelemetryOptions & { tool?: string; name?: string } = {},
): Promise<Record<string, string>> {
  const inner = scriptedModel(callRound(call(`call-${name}`, tool)), textRound('Done.'));
  const model = withToolLoop(inner, { tools, telemetry: createTelemetry(telemetry) });
  const span = trace.getTracer('application').startSpan(name);
  const active = trace.setSpan(context.active(), span);
  const baggage = propagation.createBaggage({ user: { value: 'Ada L' } });
  const parts = await context.with(propagation.setBaggage(active, baggage), () => stream(model));
  span.end();
  const [result] = ofType(parts, 'tool-result');
  const received = JSON.stringify(result?.result);
  try {
    return JSON.parse(/\{[^{}]*\}/.exec(received.replaceAll('\\', ''))?.[0] ?? '{}');
  } catch {
    return {};
  }
}

const parentOf = ({ traceparent = '' }: Record<string, string>): string | undefined =>
  traceparent.split('-')[2];

describe.each([
  ['stdio', () => stdio],
  ['Streamable HTTP', () => http.servers],
])('a server over %s', (name, servers) => {
  it('receives the trace context of the call, whose span has the attributes of both', async () => {
    const meta = await turn(open(servers()));
    const span = recorder.span('execute_tool meta');
    const { traceId, spanId } = span.spanContext();
    expect(meta).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01` });
    expect(meta.baggage).toBeUndefined();
    expect(span.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'meta',
      'mcp.method.name': 'tools/call',
      'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
      'mcp.protocol.version': expect.stringMatching(/^20/),
      'kelivo.mcp.server': 'meta',
      ...(name === 'stdio'
        ? { 'network.transport': 'pipe' }
        : {
            'network.transport': 'tcp',
            'network.protocol.name': 'http',
            'server.address': '127.0.0.1',
            'server.port': http.port,
          }),
    });
    expect(recorder.tree()).toEqual([
      'request',
      '  invoke_agent',
      '    chat scripted-1 (round 1)',
      '    execute_tool meta',
      '    chat scripted-1 (round 2)',
    ]);
  });

  it('keeps turns apart that run at once over one connection', async () => {
    const tools = open(servers());
    const names = ['first', 'second', 'third'];
    const metas = await Promise.all(names.map(async each => turn(tools, { name: each })));
    for (const [index, each] of names.entries()) {
      const parent = recorder.spans.find(span => span.attributes['gen_ai.tool.call.id'] === `call-${each}`);
      expect(parentOf(metas[index] ?? {})).toBe(parent?.spanContext().spanId);
      expect(parent?.spanContext().traceId).toBe(recorder.span(each).spanContext().traceId);
    }
  });

  it('is read in a separate span', async () => {
    const tools = open(servers(), { telemetry: createTelemetry() });
    const span = trace.getTracer('application').startSpan('request');
    const { contents } = await context.with(trace.setSpan(context.active(), span), () =>
      tools.readResource('meta', { uri: 'test://meta' }),
    );
    span.end();
    const read = recorder.span('resources/read');
    expect(read).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: { 'mcp.method.name': 'resources/read', 'mcp.resource.uri': 'test://meta' },
    });
    expect(read.attributes).not.toHaveProperty('gen_ai.operation.name');
    expect(read.parentSpanContext?.spanId).toBe(span.spanContext().spanId);
    const [content] = contents;
    const meta: Record<string, string> = JSON.parse(
      content && 'text' in content ? String(content.text) : '{}',
    );
    expect(parentOf(meta)).toBe(read.spanContext().spanId);
  });

  it('lists its tools outside of the turn that opens the connection', async () => {
    const tools = open(servers(), { telemetry: createTelemetry() });
    await turn(tools);
    expect(recorder.span('tools/list').parentSpanContext).toBeUndefined();
  });
});

describe('the trace context', () => {
  it('has the state that other systems have added', async () => {
    const traceState = createTraceState('vendor=a1,other=b2');
    const remote = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1, traceState };
    const caller = trace.setSpan(context.active(), trace.wrapSpanContext(remote));
    const meta = await context.with(caller, () => turn(open(stdio)));
    expect(meta).toMatchObject({ tracestate: 'vendor=a1,other=b2' });
    expect(meta.traceparent?.split('-')[1]).toBe(remote.traceId);
  });

  it.each([
    ['stdio', everythingOverStdio],
    ['Streamable HTTP', startOverHttp],
  ])('is active while a question of the server is answered, over %s', async (_, start) => {
    const active: unknown[] = [];
    const tools = open(
      { everything: await start() },
      {
        onElicitation: async () => {
          await Promise.resolve();
          active.push(trace.getActiveSpan()?.spanContext().spanId);
          return { action: 'decline' };
        },
      },
    );
    await Promise.all(
      ['first', 'second'].map(name => turn(tools, { tool: 'trigger-elicitation-request', name })),
    );
    const spans = recorder.spans.filter(span => span.name === 'execute_tool trigger-elicitation-request');
    expect(active.sort()).toEqual(spans.map(span => span.spanContext().spanId).sort());
    expect(new Set(active).size).toBe(2);
  });

  it('has baggage only on request', async () => {
    const meta = await turn(open(stdio), { propagateBaggageTo: server => server === 'meta' });
    expect(meta.baggage).toBe('user=Ada%20L');
  });

  it.each([false, () => false])('is not sent to servers that must not receive it (%s)', async propagateTo => {
    const meta = await turn(open(stdio), { propagateTo, propagateBaggageTo: true });
    expect(meta).not.toHaveProperty('traceparent');
    expect(meta).not.toHaveProperty('baggage');
  });

  it('of the application takes precedence', async () => {
    const tools = open(stdio, { requestMeta: () => ({ traceparent: 'own' }) });
    expect((await turn(tools)).traceparent).toBe('own');
  });
});

it('records the code of a JSON-RPC error, and no text of it', async () => {
  await turn(open(stdio), { tool: 'broken' });
  expect(recorder.span('execute_tool broken').attributes).toMatchObject({
    'error.type': '-32042',
    'rpc.response.status_code': '-32042',
  });
  expect(recorder.exported()).not.toContain('canary');
});

it('never records the environment of a server, even with content', async () => {
  await turn(open(stdio), { tool: 'environment', recordInputs: true, recordOutputs: true });
  expect(recorder.span('execute_tool environment').attributes['gen_ai.tool.call.result']).toContain(
    'redacted',
  );
  expect(recorder.exported()).not.toContain('canary');
});
