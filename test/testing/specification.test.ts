import { afterAll, describe, expect, it } from 'vitest';
import { callModel } from '../parity/_calls.js';
import { CONVERSATIONS } from '../parity/_conversations.js';
import type { ScriptedResponse } from '../../src/testing/index.js';
import { contract } from './_contract.js';
import { post, startEmulator, stream, tool } from './_emulator.js';

type Json = Record<string, unknown>;

const SCRIPTS: Readonly<Record<string, ScriptedResponse>> = {
  text: [{ text: 'Hello there.' }],
  phases: [
    { text: 'Looking.', phase: 'commentary' },
    { text: 'Hello.', phase: 'final_answer' },
  ],
  refusal: [{ refusal: 'No.' }],
  reasoning: [{ reasoning: ['First.', 'Second.'] }, { text: 'Hello.' }],
  calls: [
    { call: 'get_weather', arguments: { city: 'Oslo' } },
    { call: 'get_weather', arguments: '{"city": ' },
  ],
  truncated: { output: [{ text: 'Half an' }], incomplete: 'max_output_tokens' },
  filtered: { output: [{ text: 'Half an' }], incomplete: 'content_filter' },
  failed: { fault: 'failed' },
};

const BODIES: Readonly<Record<string, Json>> = {
  plain: {},
  tools: { tools: [tool('get_weather', { city: { type: 'string' } })], tool_choice: 'auto' },
  settings: {
    instructions: 'Be brief.',
    metadata: { a: 'b' },
    store: false,
    reasoning: { effort: 'low', summary: 'auto' },
    text: { verbosity: 'low' },
    prompt_cache_retention: '24h',
    safety_identifier: 's',
    max_output_tokens: 500,
  },
};

/**
 * Fields that the document of OpenAI requires of items of a history. The history of a host that made the item itself has
 * none. No recording shows that the API needs them, nor that it does not.
 */
const LACKING: Readonly<Record<string, readonly string[]>> = {
  computer_call_output: ['openai: /input/1 lacks id'],
  local_shell_call_output: [
    'openai: /input/1 lacks id',
    'openai: /input/1 lacks status',
    'openai: /input/2 lacks id',
  ],
  // Only in the types of the package `openai` 7.57.
  configuration_update: [
    'openai: /input/0 lacks id',
    'openai: /input/0/type must be one of ["item_reference"], is "configuration_update"',
  ],
};

if (contract === undefined)
  console.log('RESPONSES_CONTRACT names no validator: values are not compared with the published documents.');

describe.skipIf(contract === undefined)('by the published documents', () => {
  const counts = { requests: 0, events: 0, bodies: 0 };
  afterAll(() => console.log('valid by both documents:', counts));
  const check = (kind: string, value: unknown): string[] => contract?.(kind, value) ?? [];

  it.each(Object.keys(CONVERSATIONS))('the request with %s is valid', async name => {
    const { request } = await callModel(CONVERSATIONS[name] ?? {}, { modelId: 'gpt-6-sol' });
    counts.requests++;
    // Open Responses has no items of hosted tools.
    const errors = check('request', request?.body).filter(text => text.startsWith('openai:'));
    expect(errors).toEqual(LACKING[name] ?? []);
  });

  it.each(Object.keys(SCRIPTS))('events and bodies with %s are valid', async name => {
    const emulator = await startEmulator();
    for (const body of Object.values(BODIES)) {
      const request = { model: 'gpt-5', input: 'Hi', ...body };
      expect(check('request', request).filter(text => !text.includes('lacks strict'))).toEqual([]);
      emulator.enqueue(SCRIPTS[name] ?? [], SCRIPTS[name] ?? []);
      for (const event of await stream(emulator, request)) {
        counts.events++;
        expect(check('event', event)).toEqual([]);
      }
      const { json } = await post(emulator, { body: request });
      counts.bodies++;
      expect(check('response', json)).toEqual([]);
    }
  });
});
