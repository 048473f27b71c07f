import { describe, expect, it } from 'vitest';
import { type Trace, toTrace } from '../../../playground/shared/trace.js';
import { compareTraces } from '../../../playground/web/compare/trace-comparison.js';
import { compareRuns } from '../../../playground/web/compare/run-comparison.js';
import { toRoute } from '../../../playground/web/page/routes.js';
import { diffJson } from '../../../playground/web/compare/json-difference.js';

describe('a comparison', () => {
  it('marks differences except times', () => {
    const first = toTrace([
      { type: 'first-token', at: 10 },
      { type: 'turn-end', at: 100, end: 'finished', usage: { inputTokens: 5, outputTokens: 2 } },
    ]);
    const second = toTrace([
      { type: 'first-token', at: 20 },
      { type: 'turn-end', at: 200, end: 'failed', usage: { inputTokens: 5, outputTokens: 2 } },
    ]);
    const different = compareTraces(first, second).filter(({ isDifferent }) => isDifferent);

    expect(different).toEqual([{ title: 'Ended', values: ['finished', 'failed'], isDifferent: true }]);
  });

  it('counts the first token from the request, as the other views do', () => {
    const traces = [100, 900].map(at =>
      toTrace([
        { ...{ type: 'request', at, exchange: 1, round: 1, method: 'POST' }, url: '', headers: {}, body: {} },
        { type: 'first-token', at: at + 20 },
      ]),
    );
    const rows = compareTraces(traces[0] as Trace, traces[1] as Trace);

    expect(rows.find(({ title }) => title === 'First token')?.values).toEqual(['20 ms', '20 ms']);
  });

  it('lists the differences between two requests', () => {
    const differences = diffJson(
      { model: 'm', tools: [{ name: 'a', strict: false }], store: false },
      { model: 'm', tools: [{ name: 'a' }, { name: 'b' }], store: true },
    );

    expect(differences).toEqual([
      { path: 'tools[0].strict', first: false, second: undefined },
      { path: 'tools[1]', first: undefined, second: { name: 'b' } },
      { path: 'store', first: false, second: true },
    ]);
  });
});

describe('the difference of two runs', () => {
  const run = (tools: readonly object[], calls: readonly string[]) =>
    toTrace([
      {
        type: 'request',
        at: 0,
        exchange: 1,
        round: 1,
        method: 'POST',
        url: 'http://127.0.0.1/',
        headers: {},
        body: { model: 'm', tools, input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] },
      },
      {
        type: 'wire',
        at: 1,
        exchange: 1,
        name: 'response.completed',
        data: {
          response: {
            output: calls.map((name, index) => ({
              type: 'function_call',
              call_id: String(index),
              name,
              arguments: '{}',
            })),
          },
        },
      },
    ]);

  it('groups equal changes of tools, and aligns items by their names', () => {
    const names = ['a', 'b', 'c'];
    const plain = names.map(name => ({ type: 'function', name, parameters: {} }));
    const changed = plain.map((tool, index) => ({
      ...tool,
      parameters: index < 2 ? { $schema: 'x' } : {},
    }));
    const { tools, equalTools, items } = compareRuns(run(plain, ['a', 'c']), run(changed, ['a', 'b', 'c']));

    expect(tools).toEqual([
      { names: ['a', 'b'], differences: [{ path: 'parameters.$schema', first: undefined, second: 'x' }] },
    ]);
    expect(equalTools).toBe(1);
    expect(items).toEqual([
      { name: 'message of user', first: 'Hi', second: 'Hi' },
      { name: 'call a', first: '{}', second: '{}' },
      { name: 'call b', second: '{}' },
      { name: 'call c', first: '{}', second: '{}' },
    ]);
  });
});

describe('the path of an address', () => {
  it.each([
    ['/servers/a%2Fb%20%25/tools/%3Cx%3E', { page: 'servers', server: 'a/b %', part: 'tools', item: '<x>' }],
    ['/servers/s', { page: 'servers', server: 's', part: 'tools' }],
    ['/traces/compare', { page: 'trace-comparison' }],
    ['/chats/c/turns/t', { page: 'chat', conversationId: 'c', messageId: 't' }],
    ['/servers/s/nothing', { page: 'unknown' }],
    ['/servers/%', { page: 'unknown' }],
  ])('%s is read', (path, route) => {
    expect(toRoute(path)).toEqual(route);
  });
});
