import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import type { KelivoResponsesProvider, KelivoResponsesSettings } from '../../src/index.js';
import type { ResponsesEmulator, ScriptedResponse } from '../../src/testing/index.js';
import * as v3 from '../../src/v3.js';
import * as v4 from '../../src/v4.js';
import { temporaryFolder } from '../tools/mcp/_fixture-server.js';
import { startEmulator } from '../testing/_emulator.js';

export type Json = Readonly<Record<string, unknown>>;

/** The functions that both majors share. Their types differ. */
export interface Sdk {
  readonly streamText: (options: object) => { readonly steps: PromiseLike<Step[]> };
  readonly generateText: (options: object) => Promise<{ readonly steps: Step[] }>;
}

export interface Step {
  readonly text: string;
  readonly finishReason: string;
  readonly content: readonly Json[];
  readonly usage: Json;
  readonly warnings?: readonly Json[];
  readonly providerMetadata?: { readonly kelivo?: Json };
  readonly response: { readonly messages: readonly Json[] };
}

export const hosts = [
  { ai: 6, sdk: ai6 as unknown as Sdk, create: v3.createKelivoResponsesProvider },
  { ai: 7, sdk: ai7 as unknown as Sdk, create: v4.createKelivoResponsesProvider },
] as const;
export type Host = (typeof hosts)[number];

/** Who takes the rounds of a turn. */
export const forms = ['one step', 'provider', 'host'] as const;
export type Form = (typeof forms)[number];

export const settingsOf = async (
  provider: Pick<KelivoResponsesProvider, 'agentSettings'>,
  form: Form,
  run: { readonly turnId?: string; readonly scope?: string } = {},
): Promise<Json> => {
  if (form === 'one step') return { providerOptions: { kelivo: run } };
  const settings: object =
    form === 'provider'
      ? await provider.agentSettings({ runBy: 'provider', ...run })
      : await provider.agentSettings(run);
  return settings as Json;
};

/** What an application sees of a turn, and what happened. */
export interface Seen {
  steps: number;
  /** Requests that the server received. */
  requests: number;
  stepsFinished: number;
  /** Tool executions that the host reports. */
  executions: number;
  /** Model calls, steps and tool executions of a telemetry integration of `ai` 7. */
  telemetry: readonly number[];
  /** Lines that the tools wrote. */
  effects: number;
  text: string;
}

export interface Scene {
  readonly host: Host;
  readonly emulator: ResponsesEmulator;
  readonly provider: KelivoResponsesProvider;
  readonly effects: () => Promise<string[]>;
}

export interface SceneOptions extends Pick<
  KelivoResponsesSettings,
  'toolLoop' | 'mcpServers' | 'telemetry' | 'fetch'
> {
  readonly script?: readonly ScriptedResponse[];
  readonly onWrite?: (line: string) => unknown;
}

/** Starts a server, and a provider whose tool `write` adds a line to a file. */
export async function startScene(
  host: Host,
  { script = [], onWrite, ...settings }: SceneOptions = {},
  shared?: Pick<Scene, 'emulator' | 'effects'> & { readonly file?: string },
): Promise<Scene & { readonly file: string }> {
  const emulator = shared?.emulator ?? (await startEmulator());
  emulator.enqueue(...script);
  const file = shared?.file ?? path.join(await temporaryFolder(), 'effects.txt');
  const provider = host.create({
    baseURL: emulator.baseURL,
    ...settings,
    tools: {
      write: {
        inputSchema: z.object({ line: z.string() }),
        async execute({ line }: { line: string }) {
          await appendFile(file, `${line}\n`);
          await onWrite?.(line);
          return `wrote ${line}`;
        },
      },
    },
  }) as unknown as KelivoResponsesProvider;
  onTestFinished(() => provider.close());
  const effects = async (): Promise<string[]> =>
    (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return { host, emulator, provider, effects, file };
}

export const callOf = (
  line: string,
  callId = `call_${line}`,
): { call: string; arguments: Json; callId: string } => ({
  call: 'write',
  arguments: { line },
  callId,
});

/** Counts what a host reports to an application. */
export function createCounters() {
  let stepsFinished = 0;
  let executions = 0;
  const telemetry = [0, 0, 0];
  const count = (index: number) => () => void (telemetry[index] = (telemetry[index] ?? 0) + 1);
  return {
    options: {
      onStepFinish: () => void stepsFinished++,
      onToolExecutionStart: () => void executions++,
      experimental_onToolCallStart: () => void executions++,
      telemetry: {
        integrations: [
          { onLanguageModelCallEnd: count(0), onStepEnd: count(1), onToolExecutionEnd: count(2) },
        ],
      },
    },
    seen: () => ({ stepsFinished, executions, telemetry }),
  };
}

/** Runs a turn in a form, and returns its steps. Errors of streams are those of their steps. */
export async function runTurn(
  { host: { ai, sdk }, provider }: Pick<Scene, 'host' | 'provider'>,
  form: Form,
  {
    options = {},
    isStream = true,
    run,
  }: { options?: object; isStream?: boolean; run?: Parameters<typeof settingsOf>[2] } = {},
): Promise<Step[]> {
  const { onToolExecutionStart, experimental_onToolCallStart, telemetry, ...common } = options as Json;
  const own = ai === 6 ? { experimental_onToolCallStart } : { onToolExecutionStart, telemetry };
  const settings = await settingsOf(provider, form, run);
  const given = {
    model: provider('gpt-5'),
    prompt: 'Write.',
    onError: () => {},
    ...own,
    ...common,
    ...mergeSettings(settings, common),
  };
  return isStream ? await sdk.streamText(given).steps : (await sdk.generateText(given)).steps;
}

/** Merges the options of an application with the settings of a form. */
function mergeSettings(settings: Json, given: Json): Json {
  const { providerOptions = {} } = given as { providerOptions?: { kelivo?: object } };
  const { kelivo } = (settings.providerOptions ?? {}) as { kelivo?: object };
  const { prepareStep: own } = settings as { prepareStep?: (step: unknown) => object };
  const { prepareStep } = given as { prepareStep?: (step: unknown) => object | undefined };
  return {
    ...settings,
    ...('tools' in given && { tools: given.tools }),
    providerOptions: { ...providerOptions, kelivo: { ...providerOptions.kelivo, ...kelivo } },
    ...(prepareStep && { prepareStep: (step: unknown) => ({ ...own?.(step), ...prepareStep(step) }) }),
  };
}
