import type { ScriptedAnswer } from './answers.js';
import { createItemMemory, type ItemMemory } from './item-memory.js';
import { createPromptCache, type PromptCache } from './prompt-cache.js';
import type { RequestRules } from './request-rules.js';
import type { ToolCallFormat } from './write-tool-calls.js';

/** What the emulator keeps between requests. */
export interface EmulatorState {
  readonly memory: ItemMemory;
  readonly cache: PromptCache;
  readonly queue: ScriptedAnswer[];
}

export const createEmulatorState = (): EmulatorState => ({
  memory: createItemMemory(),
  cache: createPromptCache(),
  queue: [],
});

/** What an answer depends on, besides the request. */
export interface AnswerContext extends EmulatorState {
  readonly key?: string;
  readonly apiKeys?: readonly string[];
  readonly basePath: string;
  readonly latency: number;
  readonly validate: boolean;
  readonly rulesFor: (modelId: string) => RequestRules;
  readonly toolCallFormatFor: (modelId: string) => ToolCallFormat | undefined;
}
