import type { ToolSet } from 'ai';
import type { KelivoResponsesSettings } from '../../../src/index.js';
import { adaptModel } from '../../../src/adapters/index.js';
import {
  createProviderRegistryFromConfig,
  createSwitchableProvider,
  type ProviderRegistryOptions,
  type SwitchableProviderOptions,
} from '../../../src/host/index.js';
import { createMcpTools } from '../../../src/tools/mcp/index.js';
import { type ToolLoopOptions, type ToolSource, withToolLoop } from '../../../src/tool-loop/index.js';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type AnyModel, type Major, majors, type Version } from './_majors.js';
import type { Wire, WireServer } from './_wires.js';

/** A way by which a conversation leaves the package. */
export interface Exit {
  readonly name: string;
  readonly wire: Wire;
  /** The exit runs the local tools and the MCP tools. */
  readonly hasLoop: boolean;
  /** The model writes its calls as text. */
  readonly writesCalls?: boolean;
  /** The ids that the model accepts. @default any */
  readonly ids?: RegExp;
  /** It sends calls that the server ran. Other packages leave out what they cannot express. */
  readonly sendsHosted?: boolean;
}

export const exits = [
  { name: 'provider', wire: 'responses', hasLoop: true, sendsHosted: true },
  { name: 'qwen', wire: 'responses', hasLoop: true, sendsHosted: true, writesCalls: true },
  { name: 'switch-on', wire: 'responses', hasLoop: true, sendsHosted: true },
  { name: 'switch-off', wire: 'responses', hasLoop: false },
  { name: 'switch-off-with-loop', wire: 'responses', hasLoop: true },
  { name: 'registry-own', wire: 'responses', hasLoop: true, sendsHosted: true },
  { name: 'registry-official', wire: 'responses', hasLoop: false },
  { name: 'registry-chat', wire: 'chat', hasLoop: false },
  { name: 'registry-gemini', wire: 'gemini', hasLoop: false },
  { name: 'adapted-official', wire: 'responses', hasLoop: false },
  { name: 'adapted-chat', wire: 'chat', hasLoop: false },
  { name: 'adapted-gemini', wire: 'gemini', hasLoop: false },
  { name: 'adapted-qwen', wire: 'chat', hasLoop: false, writesCalls: true },
  { name: 'adapted-mistral', wire: 'chat', hasLoop: false, ids: /^[a-zA-Z0-9]{9}$/ },
  { name: 'loop-official', wire: 'responses', hasLoop: true },
  { name: 'loop-chat', wire: 'chat', hasLoop: true },
  { name: 'loop-gemini', wire: 'gemini', hasLoop: true },
  { name: 'loop-qwen', wire: 'chat', hasLoop: true, writesCalls: true },
  { name: 'middleware-chat', wire: 'chat', hasLoop: true },
  { name: 'converted-provider', wire: 'responses', hasLoop: true, sendsHosted: true },
  { name: 'converted-chat', wire: 'chat', hasLoop: false },
] as const satisfies readonly Exit[];

export type ExitName = (typeof exits)[number]['name'];

export const exitNamed = (name: ExitName): Exit => {
  const exit: Exit | undefined = exits.find(one => one.name === name);
  if (exit === undefined) throw new Error(`There is no exit ${name}.`);
  return exit;
};

const key = z.object({ key: z.string() });

type OnRun = (key: string) => void;

const returning = (description: string, onRun: OnRun) => ({
  description,
  inputSchema: key,
  execute: async (input: { key: string }) => {
    onRun(input.key);
    return `out:${input.key}`;
  },
});
const failing = (description: string, onRun: OnRun) => ({
  description,
  inputSchema: key,
  execute: async (input: { key: string }): Promise<string> => {
    onRun(input.key);
    throw new Error(`out:${input.key} is broken.`);
  },
});

/** Tools that the package runs itself. A call of `danger` is denied. */
const createOwnTools = (onRun: OnRun) => ({
  lookup: returning('Looks something up.', onRun),
  broken_lookup: failing('Fails.', onRun),
  danger: returning('Needs an approval.', onRun),
});

/** Tools that the host runs. */
export const createHostTools = ({ tool }: Major['sdk'], onRun: OnRun): ToolSet => ({
  weather: tool(returning('Returns the weather.', onRun)),
  broken_weather: tool(failing('Fails.', onRun)),
});

const approvals = {
  approvals: ({ toolName }: { toolName: string }) => toolName === 'danger',
  approve: async ({ input }: { input: unknown }) => ({
    approved: false,
    reason: `out:${(input as { key: string }).key}`,
  }),
};

/** The MCP server of the tests, which runs as a process. */
const mcpServers = {
  keyed: {
    command: process.execPath,
    args: [fileURLToPath(new URL('_keyed-server.mjs', import.meta.url))],
  },
};

/** Starts the MCP server. All models of a file may share it. */
export const startMcpTools = () => createMcpTools(mcpServers);

/** `false` and `true` are the values of `providerOptions.openai.store`. */
export type Store = boolean | undefined;

export interface Exits {
  model(exit: ExitName): AnyModel;
  /** Returns the model of the switch that `enabled` switches. */
  switched(): AnyModel;
  /** Declarations of the package's tools for the host. */
  tools(): Promise<ToolSet>;
  /** Ends the MCP server of the registry, which does not share it. */
  close(): Promise<void>;
}

export interface ExitsOptions {
  readonly server: WireServer;
  /** The running MCP server, which all conversations share. */
  readonly mcp: ToolSource;
  /** Called for each execution of a local tool, with the key of the call. */
  readonly onRun?: OnRun;
  readonly toolActivity?: 'none';
  /** Further local tools. */
  readonly tools?: KelivoResponsesSettings['tools'];
  /** Switches the models of the switch, in place of their names. */
  readonly enabled?: () => boolean;
}

/** Creates the models of all exits for one conversation. */
export function createExits(
  major: Major,
  { server: { connection, url }, mcp, onRun = () => {}, toolActivity, tools, enabled }: ExitsOptions,
): Exits {
  const gemini = { baseURL: `${url}/v1beta`, apiKey: connection.apiKey };
  const localTools = { ...createOwnTools(onRun), ...tools };
  const toolLoop = { ...approvals, toolActivity };
  const settings = { ...connection, tools: localTools, mcpServers: mcp, toolLoop };
  const provider = major.createKelivo(settings);
  let isOn = true;
  const switchable = (fallback: 'plain' | 'with-tool-loop') =>
    createSwitchableProvider({
      kelivo: settings,
      fallback,
      enabled: enabled ?? (() => isOn),
      specificationVersion: major.version,
      importOpenAI: major.importOpenAI as SwitchableProviderOptions['importOpenAI'],
    });
  const plain = switchable('plain');
  const withLoop = switchable('with-tool-loop');
  const registryOptions: ProviderRegistryOptions<Version> = {
    importModule: major.importModule,
    specificationVersion: major.version,
  };
  const registry = createProviderRegistryFromConfig(
    {
      providers: {
        own: {
          type: 'kelivo-responses',
          settings: { ...connection, tools: localTools, toolLoop, mcpServers },
        },
        official: { import: '@ai-sdk/openai', creator: 'createOpenAI', settings: connection },
        chat: {
          import: '@ai-sdk/openai-compatible',
          creator: 'createOpenAICompatible',
          settings: { name: 'chat', includeUsage: true, ...connection },
        },
        gemini: { import: '@ai-sdk/google', creator: 'createGoogleGenerativeAI', settings: gemini },
      },
    },
    registryOptions,
  );
  const loopOptions = { tools: [localTools, mcp], ...toolLoop };
  const looped = (model: AnyModel): AnyModel => looping(adapted(model), loopOptions);
  const official = major.openai(connection).responses;
  const chat = major.compatible(connection);
  const google = major.google(gemini);
  // The models of another version, which the application converts itself.
  const other = majors.find(({ version }) => version !== major.version && version !== 'v4') ?? major;
  const otherProvider = majors.find(({ version }) => version === 'v2') ?? major;

  const create: Readonly<Record<ExitName, () => unknown>> = {
    provider: () => provider('gpt-5'),
    qwen: () => provider(QWEN),
    'switch-on': () => switchedTo(plain('gpt-5'), true),
    'switch-off': () => switchedTo(plain('gpt-5'), false),
    'switch-off-with-loop': () => switchedTo(withLoop('gpt-5'), false),
    'registry-own': () => registry.languageModel('own:gpt-5'),
    'registry-official': () => registry.languageModel('official:gpt-5'),
    'registry-chat': () => registry.languageModel('chat:gpt-4.1'),
    'registry-gemini': () => registry.languageModel('gemini:gemini-2.5-flash'),
    'adapted-official': () => adapted(official('gpt-5')),
    'adapted-chat': () => adapted(chat('some-model')),
    'adapted-gemini': () => adapted(google('gemini-2.5-flash')),
    'adapted-qwen': () => adapted(chat(QWEN)),
    'adapted-mistral': () => adapted(chat('mistral-large-latest')),
    'loop-official': () => looped(official('gpt-5')),
    'loop-chat': () => looped(chat('some-model')),
    'loop-gemini': () => looped(google('gemini-2.5-flash')),
    'loop-qwen': () => looped(chat(QWEN)),
    'middleware-chat': () =>
      major.sdk.wrapLanguageModel({
        model: chat('some-model') as never,
        middleware: withToolLoop.middleware(loopOptions) as never,
      }),
    'converted-provider': () =>
      major.version === 'v2'
        ? provider.languageModel('gpt-5')
        : major.convert(otherProvider.createKelivo(settings)('gpt-5') as AnyModel),
    'converted-chat': () => major.convert(other.compatible(connection)('some-model')),
  };
  const switchedTo = (model: unknown, on: boolean): unknown => {
    isOn = on;
    return model;
  };
  return {
    model: exit => create[exit]() as AnyModel,
    switched: () => plain('gpt-5') as unknown as AnyModel,
    tools: () => provider.tools() as Promise<ToolSet>,
    close: () => registry.close(),
  };
}

// Both functions accept models of every version. The type tests check that.
const adapted = adaptModel as unknown as (model: AnyModel) => AnyModel;
const looping = withToolLoop as unknown as (model: AnyModel, options: ToolLoopOptions) => AnyModel;

/** A model that writes its calls as text. */
const QWEN = 'Qwen/Qwen3-Coder-30B-A3B-Instruct';
