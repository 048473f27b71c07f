import { getEventListeners } from 'node:events';
import { generateText, streamText, type TextStreamPart, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import type { ScriptedResponse } from '../../src/testing/index.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { fixtureServer, until } from '../tools/mcp/_fixture-server.js';
import { startProvider } from './_provider.js';

interface Moment {
  /** The settings, and a way to know that the moment has come. */
  readonly settings: () => Promise<{ settings: KelivoResponsesSettings; hasCome?: () => Promise<boolean> }>;
  readonly answers?: ScriptedResponse[];
}

const moments: Readonly<Record<string, Moment>> = {
  'while an MCP server that never answers is connected': {
    async settings() {
      const { config, journal } = await fixtureServer('mute');
      return {
        settings: { mcpServers: { mute: config } },
        hasCome: async () => (await journal()).length > 0,
      };
    },
  },
  'before the first answer': {
    settings: async () => ({ settings: {} }),
    answers: [{ fault: 'headers-never' }],
  },
  'in the middle of an answer': {
    settings: async () => ({ settings: {} }),
    answers: [{ output: [{ text: 'Once upon a time there was' }], fault: 'stall', after: 5 }],
  },
  'during an MCP tool that takes long': {
    async settings() {
      let hasStarted = false;
      const onEvent = ({ type }: { type: string }) => {
        hasStarted ||= type === 'tool-start';
      };
      return {
        settings: { mcpServers: { everything: everythingOverStdio() }, toolLoop: { onEvent } },
        hasCome: async () => hasStarted,
      };
    },
    answers: [[{ call: 'trigger-long-running-operation', arguments: { duration: 60, steps: 2 } }]],
  },
  'while a follow-up request waits for a rate limit': {
    settings: async () => ({ settings: { mcpServers: { everything: everythingOverStdio() } } }),
    answers: [[{ call: 'get-env' }], { status: 429, retryAfter: 30 }],
  },
};

async function reach({ settings, answers = [] }: Moment) {
  const { settings: given, hasCome } = await settings();
  const { emulator, provider } = await startProvider(given);
  emulator.enqueue(...answers);
  const isAsked = async () => emulator.requests.length >= Math.max(answers.length, 1);
  return {
    emulator,
    model: provider('gpt-5'),
    untilReached: async () => {
      await until(hasCome ?? isAsked);
      // The moment is a state and not an event: let it last.
      await new Promise(resolve => setTimeout(resolve, 30));
    },
  };
}

describe.each(Object.keys(moments))('an abort %s', name => {
  const moment = moments[name] ?? { settings: async () => ({ settings: {} }) };

  it('ends `generateText` at once', async () => {
    const { emulator, model, untilReached } = await reach(moment);
    const controller = new AbortController();
    const call = generateText({ model, prompt: 'Go.', abortSignal: controller.signal });
    call.catch(() => {});
    await untilReached();
    const requests = emulator.requests.length;

    const abortedAt = performance.now();
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(performance.now() - abortedAt).toBeLessThan(100);
    expect(emulator.requests).toHaveLength(requests);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('ends `streamText` at once, with an abort and no error', async () => {
    const { model, untilReached } = await reach(moment);
    const controller = new AbortController();
    const errors: unknown[] = [];
    const { fullStream } = streamText({
      model,
      prompt: 'Go.',
      abortSignal: controller.signal,
      onError: ({ error }) => void errors.push(error),
    });
    const parts: TextStreamPart<ToolSet>[] = [];
    const reading = (async () => {
      for await (const part of fullStream) parts.push(part);
    })();
    await untilReached();

    const abortedAt = performance.now();
    controller.abort();
    await reading;
    expect(performance.now() - abortedAt).toBeLessThan(100);
    expect(parts.at(-1)).toMatchObject({ type: 'abort' });
    expect(errors).toEqual([]);
  });
});

describe('an aborted request', () => {
  it('is hung up on', async () => {
    const { emulator, provider } = await startProvider();
    emulator.enqueue({ output: [{ text: 'Once upon a time' }], fault: 'stall', after: 5 });
    const controller = new AbortController();
    const { textStream } = streamText({
      model: provider('gpt-5'),
      prompt: 'Go.',
      abortSignal: controller.signal,
    });
    for await (const _ of textStream) controller.abort();
    await until(() => emulator.requests[0]?.aborted === true);
    expect(emulator.requests).toHaveLength(1);
  });
});
