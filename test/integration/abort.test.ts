import { getEventListeners } from 'node:events';
import { generateText, streamText, type TextStreamPart, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import type { ScriptedResponse } from '../../src/testing/index.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { fixtureServer, until } from '../tools/mcp/_fixture-server.js';
import { startProvider } from './_provider.js';

interface Moment {
  /** Returns the settings and a condition that is met when the moment has come. */
  readonly settings: () => Promise<{ settings: KelivoResponsesSettings; hasCome?: () => Promise<boolean> }>;
  readonly responses?: ScriptedResponse[];
}

const moments: Readonly<Record<string, Moment>> = {
  'while an MCP server that never responds is connected': {
    async settings() {
      const { config, journal } = await fixtureServer('mute');
      return {
        settings: { mcpServers: { mute: config } },
        hasCome: async () => (await journal()).length > 0,
      };
    },
  },
  'before the first response': {
    settings: async () => ({ settings: {} }),
    responses: [{ fault: 'headers-never' }],
  },
  'in the middle of a response': {
    settings: async () => ({ settings: {} }),
    responses: [{ output: [{ text: 'Once upon a time there was' }], fault: 'stall', after: 5 }],
  },
  'during a slow MCP tool': {
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
    responses: [[{ call: 'trigger-long-running-operation', arguments: { duration: 60, steps: 2 } }]],
  },
  'while a follow-up request waits for a rate limit': {
    settings: async () => ({ settings: { mcpServers: { everything: everythingOverStdio() } } }),
    responses: [[{ call: 'get-env' }], { status: 429, retryAfter: 30 }],
  },
};

async function reach({ settings, responses = [] }: Moment) {
  const { settings: given, hasCome } = await settings();
  const { emulator, provider } = await startProvider(given);
  emulator.enqueue(...responses);
  const hasReceived = async () => emulator.requests.length >= Math.max(responses.length, 1);
  return {
    emulator,
    model: provider('gpt-5'),
    untilReached: async () => {
      await until(hasCome ?? hasReceived);
      // The moment is a state and not an event, so the call stays in it briefly.
      await new Promise(resolve => setTimeout(resolve, 30));
    },
  };
}

/** Counts the turns of the event loop. Work that waits for a server or a timer takes many turns, on any machine. */
function countEventLoopTurns() {
  let count = 0;
  let handle: NodeJS.Immediate;
  const next = () => {
    count++;
    handle = setImmediate(next);
  };
  handle = setImmediate(next);
  return {
    stop(): number {
      clearImmediate(handle);
      return count;
    },
  };
}

describe.each(Object.keys(moments))('an abort %s', name => {
  const moment = moments[name] ?? { settings: async () => ({ settings: {} }) };

  it('ends `generateText` immediately', async () => {
    const { emulator, model, untilReached } = await reach(moment);
    const controller = new AbortController();
    const call = generateText({ model, prompt: 'Go.', abortSignal: controller.signal });
    call.catch(() => {});
    await untilReached();
    const requests = emulator.requests.length;

    const turns = countEventLoopTurns();
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(turns.stop()).toBeLessThan(10);
    expect(emulator.requests).toHaveLength(requests);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('ends `streamText` immediately, with an abort and no error', async () => {
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

    const turns = countEventLoopTurns();
    controller.abort();
    await reading;
    expect(turns.stop()).toBeLessThan(10);
    expect(parts.at(-1)).toMatchObject({ type: 'abort' });
    expect(errors).toEqual([]);
  });
});

describe('an aborted request', () => {
  it('closes its connection', async () => {
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
