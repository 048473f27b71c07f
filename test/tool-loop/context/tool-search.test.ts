import { createOpenAI } from '@ai-sdk/openai';
import type * as ai5 from 'ai';
import * as ai7 from 'ai7';
import { createOpenAI as createOpenAI3 } from 'openai3';
import { createOpenAI as createOpenAI4 } from 'openai4';
import { describe, expect, it, onTestFinished } from 'vitest';
import { families } from '../../../src/adapters/index.js';
import type { RequestRules, ScriptedResponse } from '../../../src/testing/index.js';
import { createIndex } from '../../../src/tool-loop/features/tool-search/search-tool.js';
import { Search } from '../../../src/tool-loop/features/tool-search/tool-search.js';
import type { ToolLoopOptions } from '../../../src/tool-loop/options.js';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import type { ToolSource } from '../../../src/tools/tool-source.js';
import { wrapModel } from '../../_core.js';
import { startEmulator } from '../../testing/_emulator.js';
import { createEngine, type StepRecord, withStep } from '../_engine.js';
import {
  call,
  callRound,
  exchangeOf,
  generate,
  scriptedModel,
  stream,
  textRound,
} from '../_scripted-model.js';
import { type ScriptedTool, scriptedTools } from '../_tools.js';
import { generatedTools, largeToolbox, sourceOfTools } from './_toolbox.js';
import { hosts } from '../_hosts.js';

type Json = Record<string, unknown>;
type Body = { readonly tools?: Json[]; readonly input: Json[] };

globalThis.AI_SDK_LOG_WARNINGS = false;

const [host5] = hosts;

interface Settings {
  readonly toolSearch?: ToolLoopOptions['toolSearch'];
  readonly tools: ToolSource;
  readonly model?: string;
}

/** Starts a conversation with an emulator. Its history passes through JSON after each turn. */
async function start(
  { toolSearch, tools, model: modelId = 'gpt-5.4' }: Settings,
  { host = host5, isStreamed = true, isOpenAI = false, rules = 'openai' as RequestRules } = {},
) {
  if (host === undefined) throw new Error('There is no host.');
  const emulator = await startEmulator({ rules });
  const tokens: unknown[] = [];
  const provider = host.create({
    apiKey: 'sk-test',
    store: false,
    tools,
    toolLoop: {
      ...(toolSearch !== undefined && { toolSearch }),
      onEvent: event => void (event.type === 'round-end' && tokens.push(event.usage)),
    },
    ...(isOpenAI
      ? {
          fetch: (async (url: string, init: RequestInit) =>
            fetch(String(url).replace('https://api.openai.com/v1', emulator.baseURL), init)) as typeof fetch,
        }
      : { baseURL: emulator.baseURL }),
  });
  onTestFinished(async () => {
    await provider.close();
    await tools.close();
  });
  let messages: ai5.ModelMessage[] = [];
  const say = async (content: string, ...scripts: ScriptedResponse[]) => {
    emulator.enqueue(...scripts);
    const before = emulator.requests.length;
    messages = [...messages, { role: 'user', content }];
    const errors: unknown[] = [];
    const options = { model: provider(modelId), messages, maxRetries: 0 };
    const result = isStreamed
      ? host.sdk.streamText({ ...options, onError: ({ error }) => void errors.push(error) })
      : await host.sdk.generateText(options);
    const text = await result.text;
    const all = (result as unknown as { responseMessages?: PromiseLike<ai5.ModelMessage[]> })
      .responseMessages;
    const added = all === undefined ? (await result.response).messages : await all;
    expect(errors).toEqual([]);
    messages = JSON.parse(JSON.stringify([...messages, ...added])) as ai5.ModelMessage[];
    return {
      text,
      warnings: (await result.warnings) ?? [],
      bodies: emulator.requests.slice(before).map(({ body }) => body as Body),
      tokens: tokens.splice(0) as { inputTokens: number; cachedInputTokens: number }[],
    };
  };
  return { emulator, say };
}

const namesOf = ({ tools = [] }: Body): unknown[] => tools.map(({ name, type }) => name ?? type);
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Checks that each request of a turn begins with the tools and the items of the one before, byte by byte. */
function expectGrowingRequests(bodies: readonly Body[]): void {
  for (const [index, body] of bodies.slice(1).entries()) {
    for (const key of ['tools', 'input'] as const) {
      const before = JSON.stringify(bodies[index]?.[key] ?? []).slice(0, -1);
      expect(JSON.stringify(body[key]).slice(0, before.length)).toBe(before);
    }
  }
}

const task = 'Search "tracker", then call create_issue for "I-1".';

describe('a task with 150 tools', () => {
  it('sends all of them in each round without a search', async () => {
    const { source, calls } = largeToolbox({ deferLoading: false });
    // The API accepts 128.
    const { say } = await start({ tools: source }, { rules: 'none' });
    const { bodies, tokens } = await say('Call create_issue for "I-1".');
    expect(calls).toEqual(['create_issue']);
    for (const { inputTokens } of tokens) expect(inputTokens).toBeGreaterThan(15_000);
    expect(bodies.length).toBe(2);
    expect(bodies[0]?.tools?.length).toBeGreaterThanOrEqual(150);
    for (const { tools } of bodies) expect(bytesOf(tools)).toBeGreaterThan(70_000);
  });

  it('sends at most 6 kB of tools before the loop has searched', async () => {
    const { source, calls } = largeToolbox({ deferLoading: true });
    const { say } = await start({ tools: source, toolSearch: 'client' });
    const { bodies, text, tokens } = await say(task);
    expect(calls).toEqual(['create_issue']);
    for (const { inputTokens } of tokens) expect(inputTokens).toBeLessThan(2000);
    expect(text).toContain('create_issue');
    expect(bodies.length).toBe(3);
    expect(namesOf(bodies[0] ?? { input: [] })).toEqual(['echo', 'search_tools']);
    expect(bytesOf(bodies[0]?.tools)).toBeLessThan(1500);
    expect(namesOf(bodies[1] ?? { input: [] })).toContain('create_issue');
    expect(bytesOf(bodies[2]?.tools)).toBeLessThan(6000);
    expectGrowingRequests(bodies);
  });

  it('shows the model little more than the names of the servers with the search of the API', async () => {
    const { source, calls } = largeToolbox({ deferLoading: true });
    const { say } = await start({ tools: source, toolSearch: 'server' });
    const { bodies, tokens } = await say('Call create_issue for "I-1".');
    expect(calls).toEqual(['create_issue']);
    for (const { inputTokens } of tokens) expect(inputTokens).toBeLessThan(2000);
    expect(bodies.length).toBe(2);
    expect(namesOf(bodies[0] ?? { input: [] })).toEqual(
      expect.arrayContaining(['tracker', 'mail', 'tool_search']),
    );
    const shown = bodies[0]?.tools?.map(({ tools: _, ...tool }) => tool);
    expect(bytesOf(shown)).toBeLessThan(6000);
    expectGrowingRequests(bodies);
    expect(bodies[1]?.tools).toEqual(bodies[0]?.tools);
    expect(bodies[1]?.input.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'tool_search_call',
        'tool_search_output',
        'function_call',
        'function_call_output',
      ]),
    );
  });
});

const deferred = () => sourceOfTools(generatedTools().map(tool => ({ ...tool, deferLoading: true })));

describe.each(
  hosts.flatMap(host => [true, false].map(isStreamed => ({ host, isStreamed, major: host.major }))),
)('with ai $major, streamed: $isStreamed', ({ host, isStreamed }) => {
  it('offers the found tools in the next turn of another process', async () => {
    const tools = deferred();
    const { say } = await start({ tools, toolSearch: 'client' }, { host, isStreamed });
    await say(task);
    const { bodies } = await say('Call create_issue for "I-2".');
    expect(tools.calls).toEqual(['create_issue', 'create_issue']);
    expect(bodies.length).toBe(2);
    expect(namesOf(bodies[0] ?? { input: [] }).slice(0, 2)).toEqual(['search_tools', 'create_issue']);
  });

  it('replays what the API has found', async () => {
    const tools = deferred();
    const { say } = await start({ tools, toolSearch: 'server' }, { host, isStreamed });
    const first = await say('Call create_issue for "I-1".');
    const second = await say('Call create_issue for "I-2".');
    expect(tools.calls).toEqual(['create_issue', 'create_issue']);
    expect(second.bodies[0]?.tools).toEqual(first.bodies[0]?.tools);
    // `ai` 5 does not keep the id of a result.
    const withoutIds = (items: Json[] = []) => items.map(({ id: _, ...item }) => item);
    const before = withoutIds(first.bodies.at(-1)?.input);
    expect(withoutIds(second.bodies[1]?.input).slice(0, before.length)).toEqual(before);
    const types = second.bodies[1]?.input.map(({ type }) => type);
    expect(types?.filter(type => type === 'tool_search_call')).toHaveLength(1);
    expect(types?.filter(type => type === 'tool_search_output')).toHaveLength(1);
  });
});

describe('the choice of the search', () => {
  it('is the API for its models, and the loop for others and for other servers', async () => {
    const choices = [
      [{ model: 'gpt-5.4' }, true, 'tool_search'],
      [{ model: 'gpt-5' }, true, 'search_tools'],
      [{ model: 'gpt-5.4' }, false, 'search_tools'],
    ] as const;
    for (const [settings, isOpenAI, expected] of choices) {
      const { say } = await start({ tools: deferred(), ...settings }, { isOpenAI });
      const { bodies } = await say('Hello.');
      expect(namesOf(bodies[0] ?? { input: [] })).toContain(expected);
    }
  });

  it('changes to the loop when the server rejects the search', async () => {
    const tools = deferred();
    const { say } = await start({ tools }, { isOpenAI: true });
    const message = "Hosted tool 'tool_search' is not supported with this deployment.";
    const body = { error: { message, type: 'invalid_request_error', param: 'tools', code: null } };
    const { bodies, text } = await say(task, { status: 400, body });
    expect(text).toContain('create_issue');
    expect(bodies.map(body => namesOf(body).includes('tool_search'))).toEqual([true, false, false, false]);
    const { bodies: second } = await say('Hello.', { status: 400, body });
    expect(second.map(one => namesOf(one).includes('tool_search'))).toEqual([true, false]);
  });

  it('changes to the loop for all conversations when two of them have met the rejection', () => {
    const support = { isSupported: true };
    const error = { statusCode: 400, message: "Hosted tool 'tool_search' is not supported." };
    const converse = (text: string) =>
      new Search('auto', support, [{ role: 'user', content: [{ type: 'text', text }] }]);
    // A server may quote the conversation.
    for (const text of ['What is tool_search?', 'Explain tool_search.'])
      expect(converse(text).isRejectedBy(error)).toBe(true);
    for (const text of ['Hello.', 'Hello.']) {
      const search = converse(text);
      expect(search.by).toBe('server');
      expect(search.isRejectedBy(error)).toBe(true);
      expect(search.by).toBe('client');
    }
    expect(converse('Good day.').isRejectedBy(error)).toBe(true);
    expect(converse('Something else.').by).toBe('client');
  });

  it('offers everything if it is off', async () => {
    const { say } = await start({ tools: deferred(), toolSearch: false });
    const { bodies } = await say('Hello.');
    expect(bodies[0]?.tools).toHaveLength(generatedTools().length);
  });
});

/** A loop around a scripted model, with a tool that is offered and two that are deferred. */
function loop(rounds: Parameters<typeof scriptedModel>, options: Omit<ToolLoopOptions, 'tools'> = {}) {
  const model = scriptedModel(...rounds);
  const pay = {
    execute: () => 'paid',
    deferLoading: true,
    inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  } satisfies ScriptedTool;
  const refund = { execute: () => 'refunded', deferLoading: true };
  const tools = scriptedTools({ look: () => 'seen', pay, refund });
  const looping = withToolLoop(model, { tools, ...options });
  const offered = () => model.requests.map(request => request.tools?.map(({ name }) => name));
  return { model, tools, looping, offered };
}

describe('deferred tools of any model', () => {
  it('are offered from the round after the search', async () => {
    const rounds = [
      callRound(call('1', 'search_tools', { query: 'pay' })),
      callRound(call('2', 'pay', { amount: 5 })),
      textRound('Paid.'),
    ];
    const { tools, looping, offered } = loop(rounds);
    await stream(looping);
    expect(tools.calls.map(({ toolName }) => toolName)).toEqual(['pay']);
    expect(offered()).toEqual([
      ['look', 'search_tools'],
      ['look', 'search_tools', 'pay'],
      ['look', 'search_tools', 'pay'],
    ]);
  });

  it('run if they are called by their exact name, with their approvals', async () => {
    const rounds = [
      callRound(call('1', 'PAY', { amount: 1 }), call('2', 'pay', { amount: 2 })),
      callRound(call('3', 'refund')),
      textRound('Done.'),
    ];
    const asked: string[] = [];
    const approve = ({ toolName }: { toolName: string }) => {
      asked.push(toolName);
      return toolName === 'pay';
    };
    const { model, tools, looping, offered } = loop(rounds, { approve });
    await stream(looping);
    expect(tools.calls.map(({ toolName, input }) => [toolName, input])).toEqual([['pay', { amount: 2 }]]);
    expect(asked).toEqual(['pay', 'refund']);
    const { outputs } = exchangeOf(model.requests[1]);
    expect(JSON.stringify(outputs)).toContain('The tool \\"PAY\\" is not loaded. Search for it first.');
    expect(offered()[1]).toEqual(['look', 'search_tools', 'pay']);
    expect(offered()[2]).toEqual(['look', 'search_tools', 'pay', 'refund']);
  });

  it('are offered without a search if they are active, allowed or required', async () => {
    const active = loop([textRound('Hi.')], { prepareRound: () => ({ activeTools: ['refund'] }) });
    await stream(active.looping);
    expect(active.offered()).toEqual([['refund']]);
    const allowed = loop([textRound('Hi.')]);
    await stream(allowed.looping, { providerOptions: { openai: { allowedTools: { toolNames: ['pay'] } } } });
    expect(allowed.offered()).toEqual([['look', 'search_tools', 'pay']]);
    const forced = loop([textRound('Hi.')]);
    await stream(forced.looping, { toolChoice: { type: 'tool', toolName: 'refund' } });
    expect(forced.offered()).toEqual([['look', 'search_tools', 'refund']]);
    const prepareRound = () => ({ toolChoice: { type: 'tool' as const, toolName: 'refund' } });
    const chosen = loop([textRound('Hi.')], { prepareRound });
    await stream(chosen.looping);
    expect(chosen.offered()).toEqual([['look', 'search_tools', 'refund']]);
  });

  it('are offered in a repeated turn that reads its records', async () => {
    const rounds = () => [
      callRound(call('1', 'search_tools', { query: 'refund' })),
      callRound(call('2', 'refund')),
      textRound('Done.'),
    ];
    const records: StepRecord[] = [];
    await stream(loop(rounds()).looping, withStep(createEngine(records).step));
    const rest = records.slice(
      0,
      records.findIndex(({ name }) => name === 'round 2'),
    );
    const second = loop(rounds().slice(1));
    await stream(second.looping, withStep(createEngine(rest).step));
    expect(second.tools.calls.map(({ toolName }) => toolName)).toEqual(['refund']);
    expect(second.offered()[0]).toEqual(['look', 'search_tools', 'refund']);
  });

  it('keep their names if a tool is called search_tools', async () => {
    const model = scriptedModel(textRound('Hi.'));
    const tools = scriptedTools({
      search_tools: () => 'own',
      pay: { execute: () => 'paid', deferLoading: true },
    });
    await generate(withToolLoop(model, { tools }));
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['search_tools', 'search_tools_2']);
  });

  it('cost nothing if no tool is deferred', async () => {
    const model = scriptedModel(textRound('Hi.'));
    await generate(withToolLoop(model, { tools: scriptedTools({ look: () => 'seen' }) }));
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['look']);
  });
});

describe('the search with other models', () => {
  const official = { 5: createOpenAI, 6: createOpenAI3, 7: createOpenAI4 } as unknown as Record<
    number,
    typeof createOpenAI
  >;

  it.each(hosts)('loads tools of the official provider in ai $major', async ({ major, sdk }) => {
    const emulator = await startEmulator({ apiKey: 'sk-test' });
    const openai = official[major]?.({ baseURL: emulator.baseURL, apiKey: 'sk-test' });
    if (openai === undefined) throw new Error('There is no provider.');
    const tools = deferred();
    const { text } = await sdk.generateText({
      model: withToolLoop(openai.responses('gpt-5.4'), { tools }),
      prompt: task,
    });
    expect(tools.calls).toEqual(['create_issue']);
    expect(text).toContain('create_issue');
    const bodies = emulator.requests.map(({ body }) => body as Body);
    expect(bodies.map(({ tools }) => tools?.length)).toEqual([1, 6, 6]);
    expectGrowingRequests(bodies.map(({ tools }) => ({ tools, input: [] })));
  });

  it('leaves the search to the API with a later version of the official provider', async () => {
    const emulator = await startEmulator({ apiKey: 'sk-test' });
    const openai = createOpenAI4({ baseURL: emulator.baseURL, apiKey: 'sk-test' });
    const tools = deferred();
    const { text } = await ai7.generateText({
      model: withToolLoop(openai.responses('gpt-5.4'), { tools, toolSearch: 'server' }),
      prompt: 'Call create_issue for "I-1".',
    });
    expect(tools.calls).toEqual(['create_issue']);
    expect(text).toContain('create_issue');
    expect(emulator.requests).toHaveLength(2);
    const [body] = emulator.requests.map(({ body }) => body as Body);
    expect(namesOf(body ?? { input: [] }).slice(0, 2)).toEqual(['tool_search', 'tracker']);
  });

  it('loads tools for calls that a model writes as text', async () => {
    const write = (name: string, input: object): string =>
      `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`;
    const model = scriptedModel(
      textRound(write('search_tools', { query: 'pay' })),
      textRound(write('pay', { amount: 5 })),
      textRound('Paid.'),
    );
    const pay = { execute: () => 'paid', deferLoading: true };
    const tools = scriptedTools({ look: () => 'seen', pay });
    await stream(withToolLoop(wrapModel(model, [families.qwen.middleware]), { tools }));
    expect(tools.calls.map(({ toolName, input }) => [toolName, input])).toEqual([['pay', { amount: 5 }]]);
    expect(model.requests.map(request => request.tools?.length)).toEqual([2, 3, 3]);
  });
});

describe('the index', () => {
  const tool = (name: string, description = '', parameters: string[] = []) => ({
    name,
    description,
    inputSchema: {
      type: 'object' as const,
      properties: Object.fromEntries(parameters.map(parameter => [parameter, {}])),
    },
  });
  const first = (tools: ReturnType<typeof tool>[], query: string) => createIndex(tools)(query)[0]?.name;

  it('finds tools by words of names, descriptions and parameters', () => {
    const tools = [
      tool('send_email', 'Sends a message.', ['recipient']),
      tool('createIssue', 'Opens a ticket.', ['milestone_number']),
      tool('查询天气', '返回城市的天气预报'),
    ];
    expect(first(tools, 'creating issues')).toBe('createIssue');
    expect(first(tools, 'open ticket')).toBe('createIssue');
    expect(first(tools, 'milestones')).toBe('createIssue');
    expect(first(tools, 'Recipients of the mail')).toBe('send_email');
    expect(first(tools, '天气')).toBe('查询天气');
    expect(createIndex(tools)('zzz')).toEqual([]);
  });

  it('ignores repeated words and long lists of words in descriptions', () => {
    const words = generatedTools().map(({ name }) => name.replace('_', ' '));
    const spam = tool('spam', `${'refund '.repeat(500)} ${words.join(' ')}`);
    const tools = [spam, tool('shop_call', 'Gives a refund.'), tool('refund_order', 'Pays back.')];
    expect(createIndex(tools)('refund').map(({ name }) => name)).toEqual([
      'refund_order',
      'shop_call',
      'spam',
    ]);
  });
});
