import { getEventListeners } from 'node:events';
import type { LanguageModelV2, LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { describe, expect, it, vi } from 'vitest';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  callRound,
  call,
  generate,
  readAll,
  type ScriptedRound,
  textRound,
  scriptedModel,
  start,
  stream,
  text,
  user,
} from './_scripted-model.js';
import { serverError } from './_server-error.js';
import { gate, scriptedTools, flushCallbacks } from './_tools.js';

const never = () => new Promise<never>(() => {});

interface Moment {
  readonly rounds?: (reached: () => void) => ScriptedRound[];
  readonly tools?: (reached: () => void) => ReturnType<typeof scriptedTools>;
  readonly options?: Omit<ToolLoopOptions, 'tools'>;
}

/** The moments at which a turn is aborted. */
const moments: Readonly<Record<string, Moment>> = {
  'while the tools are listed': {
    tools: reached => ({
      ...scriptedTools({}),
      listTools: () => {
        reached();
        return never();
      },
    }),
  },
  'before the first response': {
    rounds: reached => [
      () => {
        reached();
        return never();
      },
    ],
  },
  'in the middle of a text': {
    rounds: reached => [
      async function* () {
        yield* [start, ...text('The beginning').slice(0, 2)];
        reached();
        await never();
      },
    ],
  },
  'during a tool that respects its signal': {
    rounds: () => [callRound(call('c1', 'echo'), call('c2', 'echo'))],
    tools: reached =>
      scriptedTools({
        echo: (_, { signal }) => {
          reached();
          return new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
        },
      }),
  },
  'during a tool that ignores its signal': {
    rounds: () => [callRound(call('c1', 'echo'), call('c2', 'echo'))],
    tools: reached =>
      scriptedTools({
        echo: () => {
          reached();
          return never();
        },
      }),
  },
  'between two rounds': {
    rounds: reached => [
      callRound(call('c1', 'echo')),
      () => {
        reached();
        return never();
      },
    ],
  },
  'while a follow-up request waits to be retried': {
    rounds: reached => [
      callRound(call('c1', 'echo')),
      () => {
        reached();
        throw serverError();
      },
    ],
    options: { retry: { initialDelay: 10_000 } },
  },
};

const modes: Readonly<
  Record<string, (model: LanguageModelV2, options: Partial<LanguageModelV2CallOptions>) => Promise<unknown>>
> = { stream, generate };

/** Returns the model without its abort signal. */
function ignoreSignal(model: LanguageModelV2): LanguageModelV2 {
  const withoutSignal = ({ abortSignal: _, ...options }: LanguageModelV2CallOptions) => options;
  return {
    ...model,
    doStream: async options => model.doStream(withoutSignal(options)),
    doGenerate: async options => model.doGenerate(withoutSignal(options)),
  };
}

describe.each(Object.keys(modes))('an aborted call of %s', mode => {
  describe.each(Object.keys(moments))('%s', name => {
    const { rounds = () => [textRound('Hi')], tools, options }: Moment = moments[name] ?? {};

    it.each([
      ['', (model: LanguageModelV2) => model],
      [', even if the model ignores its signal', ignoreSignal],
    ])('rejects with the reason without waiting for a timer, and releases the signal%s', async (_, wrap) => {
      const reached = gate();
      const source = tools?.(reached.open) ?? scriptedTools({ echo: () => 'ran' });
      const model = scriptedModel(...rounds(reached.open));
      const controller = new AbortController();
      const turn = modes[mode]?.(withToolLoop(wrap(model), { tools: source, ...options }), {
        abortSignal: controller.signal,
      });
      turn?.catch(() => {});
      await reached.opened;
      await flushCallbacks();
      const requests = model.requests.length;

      const reason = new Error('The user pressed stop.');
      // New timers never fire, and those of the turn are longer than the time limit of the test.
      vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
      try {
        controller.abort(reason);
        await expect(turn).rejects.toBe(reason);
      } finally {
        vi.useRealTimers();
      }
      await flushCallbacks();
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
      expect(model.requests).toHaveLength(requests);
      expect(source.calls.length).toBeLessThanOrEqual(1);
    });
  });

  it('sends no request if it is aborted before the turn begins', async () => {
    const model = scriptedModel(textRound('Hi'));
    const reason = new Error('Too late.');
    const tools = { ...scriptedTools({}), listTools: never };
    const turn = modes[mode]?.(withToolLoop(model, { tools }), { abortSignal: AbortSignal.abort(reason) });
    await expect(turn).rejects.toBe(reason);
    expect(model.requests).toEqual([]);
  });

  it('leaves no listener on a signal that never aborts', async () => {
    const { signal } = new AbortController();
    const model = scriptedModel(callRound(call('c1', 'echo')), textRound('Done.'));
    await modes[mode]?.(withToolLoop(model, { tools: scriptedTools({ echo: () => 'ran' }) }), {
      abortSignal: signal,
    });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('an aborted stream', () => {
  it('releases the signal even if the stream is no longer read', async () => {
    const many = Array.from({ length: 500 }, (_, index) => text('word', String(index))).flat();
    const controller = new AbortController();
    const model = scriptedModel([start, ...many]);
    const result = await withToolLoop(model, { tools: scriptedTools({}) }).doStream({
      prompt: user('Go.'),
      abortSignal: controller.signal,
    });
    await flushCallbacks();
    controller.abort(new Error('The user left.'));
    await flushCallbacks();
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(model.cancelled).toBe(1);
    await expect(readAll(result.stream)).rejects.toThrow('The user left.');
  });

  it('does not report waiting calls as started', async () => {
    const events: string[] = [];
    const started = gate();
    const controller = new AbortController();
    const tools = scriptedTools({
      echo: () => {
        started.open();
        return never();
      },
    });
    const turn = stream(
      withToolLoop(scriptedModel(callRound(call('c1', 'echo'), call('c2', 'echo'))), {
        tools,
        onEvent: event => events.push(event.type),
      }),
      { abortSignal: controller.signal },
    );
    await started.opened;
    controller.abort();
    await expect(turn).rejects.toMatchObject({ name: 'AbortError' });
    await flushCallbacks();
    expect(events.filter(type => type === 'tool-start')).toHaveLength(1);
  });
});
