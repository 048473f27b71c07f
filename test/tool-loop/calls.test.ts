import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { callRound, call, exchangeOf, ofType, textRound, scriptedModel, stream } from './_scripted-model.js';
import { declareTool } from './_tools.js';

/** Returns the input of the tool and the input that the host receives if the model writes these arguments. */
async function runWith(input: string | object) {
  const inputs: unknown[] = [];
  const tools = createLocalTools({
    plan: {
      inputSchema: z.object({ days: z.number(), cities: z.array(z.string()).optional(), note: z.string() }),
      execute(given) {
        inputs.push(given);
        return 'planned';
      },
    },
  });
  const model = scriptedModel(callRound(call('c1', 'plan', input)), textRound('Done.'));
  const parts = await stream(withToolLoop(model, { tools }), { tools: [declareTool('plan')] });
  return {
    inputs,
    shown: ofType(parts, 'tool-call').map(part => part.input),
    outputs: exchangeOf(model.requests[1]).outputs,
  };
}

describe('the arguments of a call', () => {
  it('are parsed from strings if the schema does not allow strings, also for the host', async () => {
    const { inputs, shown } = await runWith({ days: '3', cities: '["Oslo"]', note: '7' });
    expect(inputs).toEqual([{ days: 3, cities: ['Oslo'], note: '7' }]);
    expect(shown).toEqual(['{"days":3,"cities":["Oslo"],"note":"7"}']);
  });

  it('are decoded again if they are double-encoded', async () => {
    const { inputs } = await runWith(JSON.stringify('{"days":3,"note":"a\\nb"}'));
    expect(inputs).toEqual([{ days: 3, note: 'a\nb' }]);
  });

  it('are rejected if they end inside a string', async () => {
    const { inputs, outputs, shown } = await runWith('{"days": 3, "note": "rm -rf /tmp/a');
    expect(inputs).toEqual([]);
    expect(outputs).toEqual([
      [
        'c1',
        'Invalid arguments for tool "plan": expected complete JSON, got arguments that look truncated: {"days": 3, "note": "rm -rf /tmp/a.',
      ],
    ]);
    expect(shown).toEqual(['{}']);
  });

  it('are rejected if no repair makes them valid', async () => {
    const { inputs, outputs } = await runWith({ days: 'three', note: 'x' });
    expect(inputs).toEqual([]);
    expect(outputs[0]?.[1]).toMatch(/^Invalid arguments for tool "plan": .*days/s);
  });
});
