import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { checkParts } from '../_parts.js';
import { startEmulator } from '../testing/_emulator.js';
import { TURN_FAULTS, type TurnFault } from './turn-faults.js';

interface InputItem {
  readonly type?: string;
  readonly call_id?: string;
  readonly output?: unknown;
}

interface Body {
  readonly input: readonly InputItem[];
  readonly tools?: readonly { readonly name?: string }[];
}

async function play({ scene, responses, modelId = 'gpt-5', maxOutputTokens }: TurnFault) {
  const { settings, runs, act } = await scene();
  const emulator = await startEmulator({ rules: modelId === 'gpt-5' ? 'openai' : 'none' });
  emulator.enqueue(...responses, [{ text: 'Done.' }]);
  const provider = createKelivoResponsesProvider({ baseURL: emulator.baseURL, ...settings });
  onTestFinished(() => provider.close());
  const controller = new AbortController();
  const reading = read(provider, { modelId, maxOutputTokens, abortSignal: controller.signal });
  await act?.({ provider, abort: () => controller.abort() });
  const seen = await reading;
  return { ...seen, runs: await runs(), requests: emulator.requests.map(({ body }) => body as Body) };
}

async function read(
  provider: ReturnType<typeof createKelivoResponsesProvider>,
  { modelId, ...options }: { modelId: string; maxOutputTokens?: number; abortSignal: AbortSignal },
) {
  const parts: LanguageModelV2StreamPart[] = [];
  try {
    const { stream } = await provider(modelId).doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
      ...options,
    });
    for await (const part of stream) parts.push(part);
  } catch (error) {
    if (options.abortSignal.aborted) return { parts, host: 'aborted', text: '', errors: [], warnings: [] };
    throw error;
  }
  checkParts(parts);
  const [start] = parts;
  const finish = parts.at(-1);
  return {
    parts,
    host: finish?.type === 'finish' ? finish.finishReason : undefined,
    text: parts.map(part => (part.type === 'text-delta' ? part.delta : '')).join(''),
    errors: parts.flatMap(part => (part.type === 'error' ? [String(part.error)] : [])),
    warnings:
      start?.type === 'stream-start'
        ? start.warnings.map(warning => (warning.type === 'other' ? warning.message : warning.type))
        : [],
  };
}

/** Returns the outputs that a request contains. Throws unless each call has exactly one. */
function outputsOf({ input }: Body): string[] {
  const idsOf = (type: string) => input.filter(item => item.type === type).map(item => item.call_id);
  expect(idsOf('function_call_output')).toEqual(idsOf('function_call'));
  return input
    .filter(({ type }) => type === 'function_call_output')
    .map(({ output }) => (typeof output === 'string' ? output : JSON.stringify(output)));
}

describe('faults of a turn', () => {
  it.each(TURN_FAULTS)('$fault → $host, $runs executions', async row => {
    const { host, text, errors, warnings, runs, requests } = await play(row);
    expect({ host, runs }).toEqual({ host: row.host, runs: row.runs });
    if (row.host === 'stop') expect(text).toContain('Done.');

    expect(errors).toEqual(row.error === undefined ? [] : [expect.stringMatching(row.error)]);
    if (row.warning !== undefined) expect(warnings.join('\n')).toMatch(row.warning);
    const last = requests.at(-1);
    const outputs = last === undefined ? [] : outputsOf(last);
    expect(outputs).toEqual(row.model.map(pattern => expect.stringMatching(pattern)));
    if (row.offers !== undefined) expect(last?.tools?.map(({ name }) => name)).toContain(row.offers);
  });
});
