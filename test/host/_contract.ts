import * as aiCore1 from '@cherrystudio/ai-core';
import {
  cleanup,
  createAndRegisterProvider,
  providerRegistry,
  registerProviderConfig,
} from '@cherrystudio/ai-core/provider';
import * as ai5 from 'ai';
import type { ToolSet } from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  createKelivoResponsesProviderConfig,
  createSwitchableProvider,
  type SwitchOptions,
} from '../../src/host/index.js';
import type { KelivoResponsesProvider, KelivoResponsesSettings } from '../../src/index.js';
import { startEmulator } from '../testing/_emulator.js';
import { sourceOfServer } from './_server-source.js';
import { officialPackages } from './_switched-conversation.js';

/*
 * The contract of the switch: the same turn, on and off.
 */

/** A host with its major of `@ai-sdk/openai`. */
export interface ContractHost {
  readonly name: string;
  readonly official: 2 | 3 | 4;
  /** Creates the provider as the host does. */
  open(settings: KelivoResponsesSettings, options: SwitchOptions): Promise<OpenHost>;
}

/** A host with the provider. Its functions take the options of the AI SDK without a model. */
export interface OpenHost {
  readonly provider: KelivoResponsesProvider;
  generateText(call: Call): PromiseLike<Result>;
  streamText(call: Call): PromiseLike<Result> | Result;
}

type Call = Readonly<Record<string, unknown>>;

type Result = Pick<
  ai5.GenerateTextResult<ToolSet, never> | ai5.StreamTextResult<ToolSet, never>,
  'text' | 'steps' | 'response'
> & {
  readonly responseMessages?: PromiseLike<ai5.ModelMessage[]>;
  consumeStream?(): PromiseLike<void>;
};

/** An application that calls the AI SDK itself. */
const application = (
  { generateText, streamText }: Pick<typeof ai5, 'generateText' | 'streamText'>,
  specificationVersion: 'v2' | 'v3' | 'v4',
): ContractHost['open'] =>
  async function open(settings, options) {
    const switched = { kelivo: settings, ...options, specificationVersion };
    const provider = createSwitchableProvider(switched) as unknown as KelivoResponsesProvider;
    const model = provider(MODEL);
    return {
      provider,
      generateText: call => generateText({ model, ...call } as never),
      streamText: call => streamText({ model, ...call } as never) as never,
    };
  };

/** `@cherrystudio/ai-core` 1 with the entry of its provider schema. */
async function openAiCore1(settings: KelivoResponsesSettings, options: SwitchOptions): Promise<OpenHost> {
  onTestFinished(cleanup);
  const id = 'kelivo-responses';
  expect(registerProviderConfig(createKelivoResponsesProviderConfig(options))).toBe(true);
  expect(await createAndRegisterProvider(id, settings)).toBe(true);
  const toParameters = (call: Call) => ({ model: MODEL, ...call }) as never;
  return {
    provider: providerRegistry.getProvider(id) as unknown as KelivoResponsesProvider,
    generateText: call => aiCore1.generateText(id as never, settings as never, toParameters(call)) as never,
    streamText: call => aiCore1.streamText(id as never, settings as never, toParameters(call)) as never,
  };
}

export const MODEL = 'gpt-5';

export const contractHosts: readonly ContractHost[] = [
  { name: 'ai 5', official: 2, open: application(ai5, 'v2') },
  { name: 'ai 6', official: 3, open: application(ai6 as never, 'v3') },
  { name: 'ai 7', official: 4, open: application(ai7 as never, 'v4') },
  { name: 'ai-core 1', official: 2, open: openAiCore1 },
];

/** Restrictions and fields of a request, by name. */
const requestCases: Readonly<
  Record<
    string,
    {
      readonly settings?: KelivoResponsesSettings;
      /** Options of the provider. */
      readonly options?: { readonly allowedTools?: { readonly toolNames: readonly string[] } } & Call;
      /** Options of the host. */
      readonly call?: { readonly activeTools?: readonly string[]; readonly toolChoice?: unknown };
    }
  >
> = {
  none: {},
  'body of the model': {
    settings: { models: { 'gpt-*': { body: { service_tier: 'flex', metadata: { team: 'blue' } } } } },
  },
  'body of the call': { options: { body: { moderation: { model: 'omni-moderation-latest' }, user: 'ada' } } },
  'both bodies': {
    settings: { models: { 'gpt-5': { body: { max_tool_calls: 5, user: 'bob' } } } },
    options: { maxToolCalls: 2, body: { max_tool_calls: 3 } },
  },
  'removed field': { options: { truncation: 'auto', body: { truncation: undefined } } },
  'allowed tools': { options: { allowedTools: { toolNames: ['mcp_sum', 'add'] } } },
  'active tools': { call: { activeTools: ['mcp_sum', 'add'] } },
  'no tool': { call: { toolChoice: 'none' } },
  'some tool': { call: { toolChoice: 'required' } },
  'one tool': { call: { toolChoice: { type: 'tool', toolName: 'mcp_sum' } } },
  'role system': { settings: { systemMessageMode: 'system' } },
  'no system messages': { options: { systemMessageMode: 'remove' } },
};

/** Who declares which tools. In `run by the host`, the host runs all of them, and its model has no loop. */
const offers = ['declared', 'undeclared', 'host only', 'declared and host', 'run by the host'] as const;

/** The rows of the contract, for each host. */
export const contractDimensions = {
  offers,
  isStream: [true, false],
  request: Object.keys(requestCases),
  fallback: ['plain', 'with-tool-loop'],
} as const;

export interface ContractCase {
  readonly host: ContractHost;
  readonly offers: (typeof offers)[number];
  readonly isStream: boolean;
  readonly request: string;
  readonly fallback: 'plain' | 'with-tool-loop';
}

/** What a turn has done: on the wire, in the tools and in the history. */
export interface ContractTurn {
  readonly text: string;
  /** Number of steps of the host. */
  readonly steps: number;
  readonly warnings: readonly string[];
  /** Names of tools, by request. */
  readonly offered: readonly (readonly string[])[];
  /** Tools that the model may call. */
  readonly allowed: readonly string[];
  /** The choice of tools, by request. */
  readonly choices: readonly unknown[];
  /** The fields of the first request without tools, input and those of one implementation alone. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly systemRole: string | undefined;
  readonly runs: readonly string[];
  /** Calls and outputs in the last request of the next turn, which the other implementation sends. */
  readonly history: readonly string[];
}

/** Fields that are the same for the server: both ask for encrypted reasoning, and none streams by default. */
const COMMON = new Set(['input', 'tools', 'tool_choice', 'include', 'stream']);

async function runContractCase(
  { host, offers: offer, isStream, request, fallback }: ContractCase,
  { isOn: isOnFirst }: { isOn: boolean },
): Promise<ContractTurn> {
  const runs: string[] = [];
  const emulator = await startEmulator({});
  const run = (name: string) => async (input: unknown) => {
    runs.push(`${name} ${JSON.stringify(input)}`);
    return `${name} done`;
  };
  const { settings = {}, options = {}, call: given = {} } = requestCases[request] ?? {};
  let isOn = isOnFirst;
  const schema = z.object({ a: z.number() });
  const { provider, ...functions } = await host.open(
    {
      baseURL: emulator.baseURL,
      apiKey: 'sk-test',
      tools: [
        { local_sum: { description: 'Local.', inputSchema: schema, execute: run('local_sum') } },
        sourceOfServer('server', { mcp_sum: run('mcp_sum') }),
      ],
      ...settings,
    },
    { fallback, enabled: () => isOn, importOpenAI: officialPackages[host.official] },
  );
  onTestFinished(() => provider.close());
  const declared = offer.startsWith('declared')
    ? await provider.tools()
    : offer === 'run by the host'
      ? await provider.tools({ runBy: 'host' })
      : {};
  const own: ToolSet = offer.includes('host')
    ? { add: ai5.tool({ description: 'Adds.', inputSchema: schema, execute: run('add') }) }
    : {};
  const tools = { ...declared, ...own };
  const names = [...(offer === 'host only' ? [] : ['local_sum', 'mcp_sum']), ...Object.keys(own)];
  const choice = given.toolChoice;
  const isForced = choice !== undefined && choice !== 'none';
  const called = names.filter(
    name =>
      choice !== 'none' &&
      options.allowedTools?.toolNames.includes(name) !== false &&
      given.activeTools?.includes(name) !== false,
  );
  const call = (name: string) => ({ call: name, arguments: { a: 1 } });
  const messages: ai5.ModelMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Sum.' },
  ];
  const ask = async (call: Call) => {
    const errors: unknown[] = [];
    const result = await functions[isStream ? 'streamText' : 'generateText']({
      messages: [...messages],
      tools,
      stopWhen: ai5.stepCountIs(isForced ? 1 : 6),
      maxRetries: 0,
      allowSystemInMessages: true,
      providerOptions: { kelivo: options },
      ...(offer === 'run by the host' && { model: provider.responses(MODEL) }),
      ...call,
      ...(isStream && { onError: ({ error }: { error: unknown }) => void errors.push(error) }),
    });
    await result.consumeStream?.();
    expect(errors).toEqual([]);
    messages.push(...((await result.responseMessages) ?? (await result.response).messages));
    return {
      text: await result.text,
      steps: (await result.steps).length,
      warnings: (await result.steps).flatMap(step =>
        (step.warnings ?? []).map(warning =>
          'message' in warning ? warning.message : JSON.stringify(warning),
        ),
      ),
    };
  };
  const forced = request === 'one tool' ? ['mcp_sum'] : called.slice(-1);
  for (const name of isForced ? forced : called) emulator.enqueue([call(name)]);
  emulator.enqueue([{ text: 'The end.' }]);
  const { text, steps, warnings } = await ask(given);
  const bodies = emulator.requests.map(({ body }) => body as Record<string, unknown>);
  const choices = bodies.map(({ tool_choice: choice }) => choice);
  const [first = {}] = bodies;
  const offeredNames = bodies.map(body => toolNamesOf(body).toSorted());
  // The other implementation continues the conversation.
  isOn = !isOnFirst;
  const before = emulator.requests.length;
  messages.push({ role: 'user', content: 'Thanks.' });
  emulator.enqueue([{ text: 'Bye.' }]);
  await ask({});
  const { input } = emulator.requests[before]?.body as { input: Record<string, unknown>[] };
  return {
    text,
    steps,
    warnings,
    offered: offeredNames,
    allowed: allowedIn(first),
    choices,
    fields: Object.fromEntries(Object.entries(first).filter(([name]) => !COMMON.has(name))),
    systemRole: (first.input as { role?: string }[]).find(({ role }) => role !== 'user')?.role,
    runs,
    history: input
      .filter(({ type }) => String(type).startsWith('function_call'))
      .map(({ type, name, output }) => `${String(type)} ${String(name ?? textOf(output))}`)
      // The host's loop joins the rounds of a step, ours those of a turn.
      .toSorted(),
  };
}

const textOf = (output: unknown): string =>
  Array.isArray(output) ? output.map((part: { text?: string }) => part.text).join('') : String(output);

const toolNamesOf = (body: Record<string, unknown>): string[] =>
  ((body.tools ?? []) as { name: string }[]).map(({ name }) => name);

/** The tools that the first request allows: a restriction, or all that it offers. */
function allowedIn(body: Record<string, unknown>): string[] {
  const { tools } = (body.tool_choice ?? {}) as { tools?: { name: string }[] };
  return (tools?.map(({ name }) => name) ?? toolNamesOf(body)).toSorted();
}

/** Defines a test for each case. */
export function itKeepsTheContract(cases: readonly ContractCase[]): void {
  const named = cases.map(one => {
    const { host, offers: offer, isStream, request, fallback } = one;
    return [
      `${host.name}, ${offer}, ${isStream ? 'stream' : 'generate'}, ${request}, ${fallback}`,
      one,
    ] as const;
  });
  it.each(named)('%s', async (_, one) => expectSameTurn(one));
}

async function expectSameTurn(one: ContractCase): Promise<void> {
  const on = await runContractCase(one, { isOn: true });
  const off = await runContractCase(one, { isOn: false });
  const isPlain = one.fallback === 'plain';
  const isDeclared = one.offers.startsWith('declared');
  const warns = (text: string): string => off.warnings.find(warning => warning.includes(text)) ?? '';
  expect(off.fields).toEqual(on.fields);
  expect(off.systemRole).toBe(on.systemRole);
  // Without a loop, undeclared tools cannot run. The warning names them.
  if (isPlain && ['undeclared', 'host only'].includes(one.offers)) {
    for (const name of ['local_sum', 'mcp_sum']) expect(warns('not available')).toContain(name);
    expect(off.offered.flat()).not.toContain('local_sum');
    return;
  }
  expect(off.runs).toEqual(on.runs);
  expect(off.history).toEqual(on.history);
  expect(new Set(off.runs).size).toBe(off.runs.length);
  // The host leaves out declarations, so that the tool counts as undeclared.
  if (isPlain && isDeclared && one.request === 'active tools')
    return void expect(warns('not available')).toContain('local_sum');
  // The host forces a call in each step, and the loop in the first round.
  if (isPlain && isDeclared && ['some tool', 'one tool'].includes(one.request))
    return void expect([off.choices[0], warns('`toolChoice`') !== '']).toEqual([on.choices[0], true]);
  expect(off.text).toBe(on.text);
  // The rounds of the loop are one step, and without it each is one.
  if (one.offers === 'declared') expect(on.steps).toBe(1);
  expect(off.steps).toBe(isPlain && isDeclared ? off.runs.length + 1 : on.steps);
  expect(off.allowed).toEqual(on.allowed);
  // `@ai-sdk/openai` 2 has no restriction, so the other tools are not offered at all.
  if (one.request !== 'allowed tools' || one.host.official > 2) {
    expect(off.offered).toEqual(on.offered);
    expect(off.choices).toEqual(on.choices);
  }
}
