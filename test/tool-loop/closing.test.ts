import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withToolLoop } from '../../src/tool-loop/index.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { createToolbox } from '../../src/tools/toolbox.js';
import type { ToolSource } from '../../src/tools/tool-source.js';
import * as z from 'zod/v4';
import { gate, scriptedTools } from './_tools.js';
import {
  call,
  callRound,
  finishOf,
  generate,
  ofType,
  scriptedModel,
  stream,
  textRound,
} from './_scripted-model.js';

const inputSchema = z.object({});
const closedError = { name: 'KelivoError', code: 'closed' };

/** Creates a local tool that runs until its signal aborts. */
function hangingTools() {
  const started = gate();
  let signal: AbortSignal | undefined;
  const tools = createLocalTools({
    hang: {
      inputSchema,
      execute: (_input, { abortSignal }) => {
        signal = abortSignal;
        started.open();
        return new Promise<string>(() => {});
      },
    },
  });
  return { tools, started: started.opened, isCancelled: () => signal?.aborted === true };
}

describe('`close()` of the tools', () => {
  it('ends a turn with a running call, which is cancelled', async () => {
    const { tools, started, isCancelled } = hangingTools();
    const model = scriptedModel(callRound(call('c1', 'hang')), textRound('Never.'));
    const turn = stream(withToolLoop(model, { tools }));
    await started;
    await tools.close();
    expect(isCancelled()).toBe(true);
    const parts = await turn;
    expect(ofType(parts, 'error')).toMatchObject([{ error: closedError }]);
    expect(finishOf(parts).finishReason).toBe('error');
    expect(model.requests).toHaveLength(1);
  });

  it('ends a generated turn with an error', async () => {
    const { tools, started } = hangingTools();
    const turn = generate(withToolLoop(scriptedModel(callRound(call('c1', 'hang'))), { tools }));
    turn.catch(() => {});
    await started;
    await tools.close();
    await expect(turn).rejects.toMatchObject(closedError);
  });

  it('aborts a waiting approval, and a later approval runs nothing', async () => {
    let runs = 0;
    const tools = createLocalTools({ write: { inputSchema, execute: () => `${++runs}` } });
    const [asked, approval] = [gate<AbortSignal>(), gate<boolean>()];
    const turn = stream(
      withToolLoop(scriptedModel(callRound(call('c1', 'write'))), {
        tools,
        approve: (_request, { signal }) => {
          asked.open(signal);
          return approval.opened;
        },
      }),
    );
    const signal = await asked.opened;
    await tools.close();
    expect(signal.reason).toMatchObject(closedError);
    approval.open(true);
    expect(ofType(await turn, 'error')).toMatchObject([{ error: closedError }]);
    expect(runs).toBe(0);
  });

  it('ends a turn while the model responds, and before it responds', async () => {
    const tools = createLocalTools({ write: { inputSchema, execute: () => 'ran' } });
    const [streaming, opening] = [gate(), gate()];
    const responding = stream(
      withToolLoop(
        scriptedModel(async function* () {
          yield { type: 'stream-start', warnings: [] };
          streaming.open();
          await new Promise(() => {});
        }),
        { tools },
      ),
    );
    const waiting = stream(
      withToolLoop(
        scriptedModel(() => {
          opening.open();
          return new Promise(() => {});
        }),
        { tools },
      ),
    );
    waiting.catch(() => {});
    await Promise.all([streaming.opened, opening.opened]);
    await tools.close();
    expect(ofType(await responding, 'error')).toMatchObject([{ error: closedError }]);
    await expect(waiting).rejects.toMatchObject(closedError);
  });

  it('ends a turn that waits for the list, and all turns of a toolbox', async () => {
    const listing = gate();
    const mute: ToolSource = {
      ...scriptedTools({}),
      listTools: () => {
        listing.open();
        return new Promise(() => {});
      },
    };
    const box = createToolbox([mute]);
    const turn = stream(withToolLoop(scriptedModel(textRound('Never.')), { tools: box }));
    turn.catch(() => {});
    await listing.opened;
    await box.close();
    await expect(turn).rejects.toMatchObject(closedError);
  });

  it('does not affect turns that begin afterwards', async () => {
    const tools = createLocalTools({ write: { inputSchema, execute: () => 'ran' } });
    const model = scriptedModel(callRound(call('c1', 'write')), textRound('Done.'));
    await tools.close();
    expect(finishOf(await stream(withToolLoop(model, { tools }))).finishReason).toBe('stop');
  });

  it('ends 50 turns, which leave no listeners and cause no warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const { tools } = hangingTools();
    const [{ closed = [] }] = [await tools.listTools()];
    const [signal] = closed;
    if (signal === undefined) throw new Error('Expected a signal.');
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    const countListeners = () => added.mock.calls.length - removed.mock.calls.length;
    const finished = Array.from({ length: 50 }, () =>
      stream(withToolLoop(scriptedModel(textRound('Done.')), { tools })),
    );
    await Promise.all(finished);
    expect(countListeners()).toBe(0);
    expect(added).toHaveBeenCalled();

    let running = 0;
    const turns = Array.from({ length: 50 }, () =>
      stream(
        withToolLoop(scriptedModel(callRound(call('c1', 'hang'))), {
          tools,
          onEvent: ({ type }) => void (running += type === 'tool-start' ? 1 : 0),
        }),
      ),
    );
    while (running < 50) await new Promise(resolve => setImmediate(resolve));
    expect(countListeners()).toBe(1);
    await tools.close();
    for (const parts of await Promise.all(turns))
      expect(ofType(parts, 'error')).toMatchObject([{ error: closedError }]);
    await new Promise(resolve => setImmediate(resolve));
    expect(warnings).toEqual([]);
  });
});
