import { expect, it } from 'vitest';
import { withToolLoop } from '../../src/tool-loop/index.js';
import type { ToolLoopEvent } from '../../src/tool-loop/turn/turn-reports.js';
import type { ToolDefinition, ToolListing, ToolSource } from '../../src/tools/tool-source.js';
import {
  call,
  callRound,
  exchangeOf,
  ofType,
  readAll,
  scriptedModel,
  stream,
  textRound,
  user,
} from './_scripted-model.js';

const definition = (name: string, rest: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  inputSchema: { type: 'object' },
  ...rest,
});

/** Creates a source that lists something else in each round, and runs every tool. */
function changingTools(...listings: Partial<ToolListing>[]) {
  const calls: string[] = [];
  const seen: unknown[] = [];
  let round = 0;
  const source: ToolSource = {
    name: 'changing tools',
    async listTools({ known } = {}) {
      seen.push(known);
      return { tools: [], warnings: [], ...(listings[round++] ?? listings.at(-1)) };
    },
    async callTool({ toolName, server, originalName }) {
      calls.push([server, originalName ?? toolName].join(':'));
      return { type: 'text', value: `ran ${toolName}` };
    },
    close: async () => {},
  };
  return { source, calls, seen };
}

const toolsOf = (model: ReturnType<typeof scriptedModel>) =>
  model.requests.map(({ tools }) => tools?.map(({ name }) => name));

it('offers new tools in the next round, after the others, and removed ones no longer', async () => {
  const { source, calls } = changingTools(
    { tools: [definition('b'), definition('gone')] },
    { tools: [definition('a'), definition('b')] },
  );
  const model = scriptedModel(
    callRound(call('c1', 'b')),
    callRound(call('c2', 'a'), call('c3', 'gone')),
    textRound('Done.'),
  );
  await stream(withToolLoop(model, { tools: source }));
  expect(toolsOf(model)).toEqual([
    ['b', 'gone'],
    ['b', 'a'],
    ['b', 'a'],
  ]);
  expect(calls).toEqual([':b', ':a']);
  expect(exchangeOf(model.requests[2]).outputs.at(-1)).toEqual([
    'c3',
    expect.stringContaining('There is no tool "gone".'),
  ]);
});

it('sends the same tools while the list does not change', async () => {
  const { source } = changingTools({ tools: [definition('a'), definition('b')] });
  const model = scriptedModel(callRound(call('c1', 'a')), textRound('Done.'));
  await stream(withToolLoop(model, { tools: source }), {
    tools: [{ type: 'function', name: 'own', inputSchema: { type: 'object' } }],
  });
  expect(model.requests[1]?.tools).toEqual(model.requests[0]?.tools);
});

it('reports warnings of later listings as events, and each only once', async () => {
  const { source } = changingTools(
    { tools: [definition('a')], warnings: ['one'] },
    { tools: [definition('a')], warnings: ['one', 'two'] },
  );
  const events: ToolLoopEvent[] = [];
  const model = scriptedModel(
    callRound(call('c1', 'a')),
    callRound(call('c2', 'a', { b: 1 })),
    textRound('Done.'),
  );
  const parts = await stream(withToolLoop(model, { tools: source, onEvent: event => events.push(event) }));
  expect(ofType(parts, 'stream-start')[0]?.warnings).toEqual([{ type: 'other', message: 'one' }]);
  expect(events.filter(({ type }) => type === 'warning')).toMatchObject([{ round: 2, message: 'two' }]);
});

it('runs a call of an earlier name under the current one, and refuses one whose tool is not available', async () => {
  const web = definition('web_search', { server: 'web', originalName: 'search' });
  const { source, calls } = changingTools({
    tools: [web, definition('Read')],
    aliases: new Map([
      ['search', web],
      ['read', undefined],
    ]),
  });
  const model = scriptedModel(callRound(call('c1', 'search'), call('c2', 'read')), textRound('Done.'));
  await stream(withToolLoop(model, { tools: source }));
  expect(calls).toEqual(['web:search']);
  expect(exchangeOf(model.requests[1]).outputs).toEqual([
    ['c1', 'ran web_search'],
    ['c2', expect.stringContaining('There is no tool "read".')],
  ]);
});

it('passes what the names of the history refer to', async () => {
  const web = definition('search', { server: 'web', originalName: 'search' });
  const { source, seen } = changingTools({ tools: [web] });
  const tools = [{ type: 'function' as const, name: 'search', inputSchema: { type: 'object' as const } }];
  const model = scriptedModel(callRound(call('c1', 'search')), textRound('Done.'), textRound('Again.'));
  const looped = withToolLoop(model, { tools: source });
  const parts = await readAll((await looped.doStream({ prompt: user('Go.'), tools })).stream);
  const [shown] = ofType(parts, 'tool-call');
  expect(shown?.providerMetadata).toMatchObject({ kelivo: { tool: { server: 'web', name: 'search' } } });
  await stream(looped, {
    prompt: [
      ...user('Go.'),
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: 'c1',
            toolName: 'search',
            input: {},
            providerExecuted: true,
            providerOptions: shown?.providerMetadata ?? {},
          },
          { type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'text', value: 'x' } },
        ],
      },
      ...user('Again.'),
    ],
  });
  expect(seen.at(0)).toEqual([]);
  expect(seen.at(-1)).toEqual([{ name: 'search', server: 'web', originalName: 'search' }]);
});
