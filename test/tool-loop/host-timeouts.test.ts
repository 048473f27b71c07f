import { streamText as streamText6 } from 'ai6';
import { streamText as streamText7 } from 'ai7';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { createKelivoResponsesProvider as createV3 } from '../../src/v3.js';
import { createKelivoResponsesProvider as createV4 } from '../../src/v4.js';
import { fromLanguageModel, toLanguageModel } from '../../src/core/versions/language-model.js';
import { startEmulator } from '../testing/_emulator.js';
import { call, callRound, type ScriptedRound, scriptedModel, start, text } from './_scripted-model.js';

/* Time limits of hosts during a turn. `ai` 5 has none. */

const hosts = {
  6: { streamText: streamText6, create: createV3, version: 'v3' },
  7: { streamText: streamText7, create: createV4, version: 'v4' },
} as const;

const MINUTE = 60_000;

/** A tool that takes a minute. */
const inputSchema = z.object({});
const tools = {
  sleep: {
    inputSchema,
    readOnly: true,
    async execute() {
      await vi.advanceTimersByTimeAsync(MINUTE);
      return 'slept';
    },
  },
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => void vi.useRealTimers());

async function runWithTool(major: 6 | 7, timeout: { chunkMs?: number; stepMs?: number }) {
  const emulator = await startEmulator();
  emulator.enqueue([{ text: 'Wait.' }, { call: 'sleep', arguments: {} }], [{ text: 'Rested.' }]);
  const { create, streamText } = hosts[major];
  const provider = create({ baseURL: emulator.baseURL, tools });
  onTestFinished(() => provider.close());
  return read(streamText, provider('gpt-5'), timeout);
}

/** Runs rounds of a model, after a call of a tool that takes no time. */
async function runRounds(major: 6 | 7, next: ScriptedRound) {
  const { streamText, version } = hosts[major];
  const model = scriptedModel(callRound(call('c1', 'look')), next);
  const look = { inputSchema, readOnly: true, execute: () => 'seen' };
  const looping = withToolLoop(toLanguageModel(fromLanguageModel(model), version), {
    tools: createLocalTools({ look }),
  });
  return read(streamText, looping as never, { chunkMs: 1000 });
}

async function read(streamText: unknown, model: unknown, timeout: object) {
  const open = streamText as (options: object) => {
    fullStream: AsyncIterable<{ type: string; text?: string }>;
  };
  const parts: { type: string; text?: string }[] = [];
  for await (const part of open({ model, prompt: 'Sleep.', timeout, onError() {} }).fullStream)
    parts.push(part);
  const texts = parts.flatMap(part => (part.type === 'text-delta' ? [part.text] : []));
  return { types: parts.map(({ type }) => type), text: texts.join('') };
}

describe('`timeout.chunkMs` of `ai` 6', () => {
  it('does not end a turn during a slow tool, and the host shows no part for it', async () => {
    const { types, text: answer } = await runWithTool(6, { chunkMs: 1000 });
    expect(answer).toBe('Wait.Rested.');
    expect(types.filter(type => !/^(?:text|tool|reasoning)-/.test(type))).toEqual([
      'start',
      'start-step',
      'finish-step',
      'finish',
    ]);
  });

  it('does not end a turn before a late round', async () => {
    const { types, text: answer } = await runRounds(6, async function* () {
      yield start;
      await vi.advanceTimersByTimeAsync(MINUTE);
      yield* text('Rested.');
    });
    expect(answer).toBe('Rested.');
    expect(types).not.toContain('abort');
  });

  it('ends a response that stops in the middle', async () => {
    const { types, text: answer } = await runRounds(6, async function* () {
      yield* [start, ...text('The beginning').slice(0, 2)];
      await vi.advanceTimersByTimeAsync(MINUTE);
      yield* text('The end');
    });
    expect(answer).toBe('The beginning');
    expect(types.at(-1)).toBe('abort');
  });
});

describe('limits of hosts that no part of a model restarts', () => {
  it.each([
    [7, { chunkMs: 1000 }],
    [6, { stepMs: 1000 }],
    [7, { stepMs: 1000 }],
  ] as const)('`ai` %i ends a turn with a slow tool: %o', async (major, timeout) => {
    const { types, text: answer } = await runWithTool(major, timeout);
    expect(answer).toBe('Wait.');
    expect(types.at(-1)).toBe('abort');
  });
});
