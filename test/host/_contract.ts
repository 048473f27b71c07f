import * as ai5 from 'ai';
import type { ToolSet } from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createSwitchableProvider } from '../../src/host/index.js';
import type { KelivoResponsesProvider, KelivoResponsesSettings } from '../../src/index.js';
import { startEmulator } from '../testing/_emulator.js';
import { sourceOfServer } from './_server-source.js';
import { officialPackages } from './_switched-conversation.js';

/*
 * The contract of the switch: the same turn, on and off.
 */

export const contractHosts = [
  { ai: 5, official: 2, version: 'v2' },
  { ai: 6, official: 3, version: 'v3' },
  { ai: 7, official: 4, version: 'v4' },
] as const;

const sdks = { 5: ai5, 6: ai6 as unknown as typeof ai5, 7: ai7 as unknown as typeof ai5 } as const;

/** Restrictions and fields of a request, by name. */
export const requestCases: Readonly<
  Record<string, { settings?: KelivoResponsesSettings; options?: object }>
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
  'role system': { settings: { systemMessageMode: 'system' } },
  'no system messages': { options: { systemMessageMode: 'remove' } },
};

export const offered = ['declared', 'undeclared', 'host only', 'declared and host'] as const;

export interface ContractCase {
  readonly host: (typeof contractHosts)[number];
  readonly offers: (typeof offered)[number];
  readonly isStream: boolean;
  readonly request: string;
  readonly fallback: 'plain' | 'with-tool-loop';
}

/** What a turn has done: on the wire, in the tools and in the history. */
export interface ContractTurn {
  readonly text: string;
  readonly warnings: readonly string[];
  /** Names of tools, by request. */
  readonly offered: readonly (readonly string[])[];
  /** Tools that the model may call. */
  readonly allowed: readonly string[];
  /** The fields of the first request without tools, input and those of one implementation alone. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly systemRole: string | undefined;
  readonly runs: readonly string[];
  /** Calls and outputs in the last request of the next turn, which the other implementation sends. */
  readonly history: readonly string[];
}

/** Fields that are the same for the server: both ask for encrypted reasoning, and none streams by default. */
const COMMON = new Set(['input', 'tools', 'tool_choice', 'include', 'stream']);

export async function runContractCase(
  { host: { ai, official, version }, offers, isStream, request, fallback }: ContractCase,
  { isOn: isOnFirst }: { isOn: boolean },
): Promise<ContractTurn> {
  const sdk = sdks[ai];
  const runs: string[] = [];
  const emulator = await startEmulator({});
  const run = (name: string) => async (input: unknown) => {
    runs.push(`${name} ${JSON.stringify(input)}`);
    return `${name} done`;
  };
  const { settings = {}, options = {} } = requestCases[request] ?? {};
  let isOn = isOnFirst;
  const schema = z.object({ a: z.number() });
  const provider = createSwitchableProvider({
    kelivo: {
      baseURL: emulator.baseURL,
      apiKey: 'sk-test',
      tools: [
        { local_sum: { description: 'Local.', inputSchema: schema, execute: run('local_sum') } },
        sourceOfServer('server', { mcp_sum: run('mcp_sum') }),
      ],
      ...settings,
    },
    fallback,
    enabled: () => isOn,
    specificationVersion: version,
    importOpenAI: officialPackages[official],
  }) as unknown as KelivoResponsesProvider;
  onTestFinished(() => provider.close());
  const declared: ToolSet = offers.startsWith('declared') ? ((await provider.tools()) as ToolSet) : {};
  const own: ToolSet =
    offers.endsWith('host') || offers === 'host only'
      ? { add: sdk.tool({ description: 'Adds.', inputSchema: schema, execute: run('add') }) }
      : {};
  const tools = { ...declared, ...own };
  const names = [...(offers === 'host only' ? [] : ['local_sum', 'mcp_sum']), ...Object.keys(own)];
  const { allowedTools } = options as { allowedTools?: { toolNames: string[] } };
  const called = names.filter(name => allowedTools?.toolNames.includes(name) !== false);
  const call = (name: string) => ({ call: name, arguments: { a: 1 } });
  const messages: ai5.ModelMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Sum.' },
  ];
  const ask = async () => {
    const errors: unknown[] = [];
    const given = {
      model: provider('gpt-5'),
      messages: [...messages],
      tools,
      stopWhen: sdk.stepCountIs(6),
      maxRetries: 0,
      allowSystemInMessages: true,
      providerOptions: { kelivo: options as never },
    };
    const result = isStream
      ? sdk.streamText({ ...given, onError: ({ error }) => void errors.push(error) })
      : await sdk.generateText(given);
    if ('consumeStream' in result) await result.consumeStream();
    expect(errors).toEqual([]);
    const { responseMessages } = result as { responseMessages?: PromiseLike<ai5.ModelMessage[]> };
    messages.push(...((await responseMessages) ?? (await result.response).messages));
    return {
      text: await result.text,
      warnings: (await result.steps).flatMap(step =>
        (step.warnings ?? []).map(warning =>
          'message' in warning ? warning.message : JSON.stringify(warning),
        ),
      ),
    };
  };
  for (const name of called) emulator.enqueue([call(name)]);
  emulator.enqueue([{ text: 'The end.' }]);
  const { text, warnings } = await ask();
  const bodies = emulator.requests.map(({ body }) => body as Record<string, unknown>);
  const [first = {}] = bodies;
  const offeredNames = bodies.map(body => toolNamesOf(body).toSorted());
  // The other implementation continues the conversation.
  isOn = !isOnFirst;
  const before = emulator.requests.length;
  messages.push({ role: 'user', content: 'Thanks.' });
  emulator.enqueue([{ text: 'Bye.' }]);
  await ask();
  const { input } = emulator.requests[before]?.body as { input: Record<string, unknown>[] };
  return {
    text,
    warnings,
    offered: offeredNames,
    allowed: allowedIn(first),
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
