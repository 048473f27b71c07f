import type { JSONValue } from '@ai-sdk/provider';
import {
  generateText,
  type LanguageModel,
  type ModelMessage,
  type StopCondition,
  streamText,
  type ToolChoice,
  type ToolSet,
} from 'ai';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { createKelivoResponsesProvider, type KelivoResponsesProvider } from '../../src/index.js';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import {
  type EmulatorRequest,
  type ResponsesEmulator,
  type ResponsesEmulatorOptions,
  type ScriptedResponse,
  startResponsesEmulator,
} from '../../src/testing/index.js';
import { startEmulator } from '../testing/_emulator.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';

// Tests check warnings, so they are not logged.
globalThis.AI_SDK_LOG_WARNINGS = false;

export const apiKey = 'sk-test-0123456789';

/** Starts an emulator that checks every request, and a provider for it. Both close with the test. */
export async function startProvider(
  settings: KelivoResponsesSettings = {},
  options: ResponsesEmulatorOptions = {},
) {
  const emulator = await startEmulator({ apiKey, ...options });
  const provider = createKelivoResponsesProvider({ baseURL: emulator.baseURL, apiKey, ...settings });
  onTestFinished(() => provider.close());
  return { emulator, provider };
}

/**
 * Starts the same with the reference MCP server as a child process, shared by all tests of a suite, because starting a
 * server is slow.
 */
export function useProviderWithMcp(
  settings: KelivoResponsesSettings = {},
  emulatorOptions: ResponsesEmulatorOptions = {},
) {
  let emulator: ResponsesEmulator;
  let provider: KelivoResponsesProvider;
  let before = 0;
  beforeAll(async () => {
    emulator = await startResponsesEmulator({ apiKey, ...emulatorOptions });
    const mcpServers = { everything: everythingOverStdio() };
    provider = createKelivoResponsesProvider({ baseURL: emulator.baseURL, apiKey, mcpServers, ...settings });
  });
  beforeEach(() => {
    before = emulator.requests.length;
  });
  afterAll(async () => {
    await provider.close();
    await emulator.close();
  });
  return {
    model: (modelId = 'gpt-5') => provider(modelId),
    tools: () => provider.tools(),
    enqueue: (...responses: ScriptedResponse[]) => emulator.enqueue(...responses),
    /** Requests of the current test. */
    get requests() {
      return emulator.requests.slice(before);
    },
  };
}

interface HostOptions {
  model: LanguageModel;
  prompt: string | ModelMessage[];
  tools?: ToolSet;
  toolChoice?: ToolChoice<ToolSet>;
  stopWhen?: StopCondition<ToolSet>;
  providerOptions?: Record<string, Record<string, JSONValue>>;
  maxRetries?: number;
}

/** Runs a call with either function of the AI SDK and returns the same fields. */
export const hosts = {
  async generateText(options: HostOptions) {
    const { text, finishReason, steps, totalUsage, warnings, response } = await generateText(options);
    return { text, finishReason, steps, totalUsage, warnings, messages: response.messages, errors: [] };
  },

  async streamText(options: HostOptions) {
    const errors: unknown[] = [];
    const result = streamText({ ...options, onError: ({ error }) => void errors.push(error) });
    await result.consumeStream();
    return {
      text: await result.text,
      finishReason: await result.finishReason,
      steps: await result.steps,
      totalUsage: await result.totalUsage,
      warnings: await result.warnings,
      messages: (await result.response).messages,
      errors,
    };
  },
} as const;

export const hostNames = ['generateText', 'streamText'] as const;

/** Options that request reasoning summaries. */
export const showReasoning: Record<string, Record<string, JSONValue>> = {
  openai: { reasoningSummary: 'auto' },
};

export interface InputItem {
  readonly type?: string;
  readonly role?: string;
  readonly name?: string;
  readonly call_id?: string;
  readonly arguments?: string;
  readonly output?: unknown;
  readonly [key: string]: unknown;
}

/** Returns the input items of a request. */
export const inputOf = (request: EmulatorRequest | undefined): InputItem[] =>
  (request?.body as { input: InputItem[] } | undefined)?.input ?? [];

/** Returns the role of each input item, or its type. */
export const shapeOf = (request: EmulatorRequest | undefined): (string | undefined)[] =>
  inputOf(request).map(({ type, role }) => role ?? type);
