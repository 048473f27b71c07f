import type { LanguageModel, ModelMessage, StopCondition, ToolChoice, ToolSet } from 'ai';
import { onTestFinished } from 'vitest';
import type { KelivoResponsesProvider } from '../../src/index.js';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import type { ResponsesEmulator } from '../../src/testing/index.js';
import type { ToolSource } from '../../src/tools/tool-source.js';
import { startEmulator } from '../testing/_emulator.js';
import type { Host, Mode } from './_host.js';

const apiKey = 'sk-test-0123456789';

export interface CallOptions {
  readonly model?: LanguageModel;
  readonly prompt?: string;
  readonly messages?: ModelMessage[];
  readonly tools?: ToolSet;
  readonly toolChoice?: ToolChoice<ToolSet>;
  readonly stopWhen?: StopCondition<ToolSet>;
  readonly providerOptions?: Record<string, Record<string, unknown>>;
  readonly abortSignal?: AbortSignal;
  readonly maxRetries?: number;
  readonly [setting: string]: unknown;
}

/** One host with one server and one call mode. */
export interface Scene extends Omit<Host, 'createProvider'> {
  readonly mode: Mode;
  readonly emulator: ResponsesEmulator;
  /** A provider with the tools of the reference MCP server. */
  readonly provider: KelivoResponsesProvider;
  /** Creates another provider for the same server, with no tools by default. */
  createProvider(settings?: KelivoResponsesSettings): KelivoResponsesProvider;
  run(options: CallOptions): Promise<{
    text: string;
    finishReason: string;
    steps: readonly Step[];
    totalUsage: Readonly<Record<string, unknown>>;
    messages: ModelMessage[];
    /** Errors that a stream reported. */
    errors: unknown[];
  }>;
  /** Returns the input items of a request. */
  inputOf(request: number): InputItem[];
}

export interface Step {
  readonly finishReason: string;
  readonly rawFinishReason?: string;
  readonly text: string;
  readonly toolCalls: readonly Readonly<Record<string, unknown>>[];
  readonly toolResults: readonly Readonly<Record<string, unknown>>[];
  readonly providerMetadata?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface InputItem {
  readonly type?: string;
  readonly role?: string;
  readonly name?: string;
  readonly output?: unknown;
  readonly [field: string]: unknown;
}

/** Starts a scene. All scenes share one MCP server, because starting it is slow. */
export async function startScene(host: Host, { mode, mcp }: { mode: Mode; mcp: ToolSource }): Promise<Scene> {
  const emulator = await startEmulator({ apiKey });
  const createProvider = (settings: KelivoResponsesSettings = {}): KelivoResponsesProvider => {
    const provider = host.createProvider({ baseURL: emulator.baseURL, apiKey, ...settings });
    // A shared tool source is closed by its owner.
    if (settings.mcpServers === undefined) onTestFinished(() => provider.close());
    return provider;
  };
  const provider = createProvider({ mcpServers: mcp });
  return {
    ...host,
    mode,
    emulator,
    provider,
    createProvider,
    run: options => runners[mode](host.sdk, { model: provider('gpt-5'), ...options }),
    inputOf: request => (emulator.requests[request]?.body as { input: InputItem[] } | undefined)?.input ?? [],
  };
}

type Run = (sdk: Host['sdk'], options: CallOptions & { model: LanguageModel }) => ReturnType<Scene['run']>;

const runners: Readonly<Record<Mode, Run>> = {
  async generate({ generateText }, options) {
    const result = await generateText(options as Parameters<typeof generateText>[0]);
    const { text, finishReason, totalUsage, response } = result;
    const steps = result.steps as unknown as Step[];
    return {
      text,
      finishReason,
      steps,
      totalUsage: { ...totalUsage },
      messages: response.messages,
      errors: [],
    };
  },

  async stream({ streamText }, options) {
    const errors: unknown[] = [];
    const result = streamText({
      ...(options as Parameters<typeof streamText>[0]),
      onError: ({ error }) => void errors.push(error),
    });
    await result.consumeStream();
    return {
      text: await result.text,
      finishReason: await result.finishReason,
      steps: (await result.steps) as unknown as Step[],
      totalUsage: { ...(await result.totalUsage) },
      messages: (await result.response).messages,
      errors,
    };
  },
};
