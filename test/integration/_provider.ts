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

// Warnings are part of what is tested, not of the tests' output.
globalThis.AI_SDK_LOG_WARNINGS = false;

export const apiKey = 'sk-test-0123456789';

/** A provider in front of an emulator that checks every request. Both end with the test. */
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
 * The same with the reference MCP server as a child process, for all tests of a suite: starting and ending a server
 * takes most of the time.
 */
export function useProviderWithMcp(settings: KelivoResponsesSettings = {}) {
  let emulator: ResponsesEmulator;
  let provider: KelivoResponsesProvider;
  let before = 0;
  beforeAll(async () => {
    emulator = await startResponsesEmulator({ apiKey });
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
    toolStubs: () => provider.toolStubs(),
    enqueue: (...answers: ScriptedResponse[]) => emulator.enqueue(...answers),
    /** The requests of the running test. */
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

/** One call of a host, told alike for both its functions. */
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

/** A model that reasons, and whose answers show the reasoning. */
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

/** The input items of a request. */
export const inputOf = (request: EmulatorRequest | undefined): InputItem[] =>
  (request?.body as { input: InputItem[] } | undefined)?.input ?? [];

/** The input of a request in short: the types of its items, or their roles. */
export const shapeOf = (request: EmulatorRequest | undefined): (string | undefined)[] =>
  inputOf(request).map(({ type, role }) => role ?? type);
