import { describe, expect, it } from 'vitest';
import { KelivoError } from '../../src/core/shared/errors.js';
import { validateToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { generate, textRound, scriptedModel } from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const tools = scriptedTools({});
const expectedSource =
  'Invalid `tools` of the tool loop options: expected tools by name, a source of tools, or a list of both';

describe('the options of a tool loop', () => {
  it.each<[object, string]>([
    [{}, `${expectedSource}, got undefined.`],
    [{ tools: 'all' }, `${expectedSource}, got a string.`],
    [{ tools: [tools, 'echo'] }, `${expectedSource}, got an array.`],
    [{ tools: [tools, null] }, `${expectedSource}, got an array.`],
    [
      { tools, maxRounds: 0 },
      'Invalid `maxRounds` of the tool loop options: Too small: expected number to be >=1, got 0.',
    ],
    [
      { tools, maxRounds: '3' },
      'Invalid `maxRounds` of the tool loop options: expected a whole number of at least 1, or false, got a string.',
    ],
    [{ tools, maxRounds: 1.5 }, 'Invalid `maxRounds` of the tool loop options'],
    [
      { tools, execution: 'fast' },
      'Invalid `execution` of the tool loop options: Invalid option: expected one of "auto"|"parallel"|"sequential"',
    ],
    [{ tools, toolActivity: 'full' }, 'Invalid `toolActivity` of the tool loop options'],
    [{ tools, startEarly: 'no' }, 'Invalid `startEarly` of the tool loop options'],
    [{ tools, timeouts: { tool: 0 } }, 'Invalid `timeouts.tool` of the tool loop options'],
    [{ tools, timeouts: { idle: 5 } }, 'Unknown setting `idle` in `timeouts` of the tool loop options.'],
    [{ tools, retry: { maxRetries: -1 } }, 'Invalid `retry.maxRetries` of the tool loop options'],
    [{ tools, maxToolCalls: 0 }, 'Invalid `maxToolCalls` of the tool loop options: Too small'],
    [{ tools, maxToolOutputChars: 99 }, 'expected number to be >=100, got 99.'],
    [
      { tools, maxToolOutputChars: '5k' },
      'expected a whole number of at least 100, false, or such limits as',
    ],
    [{ tools, maxToolOutputChars: { tools: { echo: 0 } } }, '`maxToolOutputChars.tools.echo`'],
    [{ tools, compactThreshold: -1 }, 'Invalid `compactThreshold` of the tool loop options: Too small'],
    [{ tools, prices: { 'gpt-5': { input: 1 } } }, 'expected prices of `input` and `output`, or "reported"'],
    [
      { tools, approve: true },
      'Invalid `approve` of the tool loop options: expected a function or "host", got true.',
    ],
    [
      { tools, approvals: 'all' },
      'expected one of "never"|"destructive"|"unless-read-only"|"always", or a function, got a string.',
    ],
    [
      { tools, journal: { get: () => {} } },
      'Invalid `journal` of the tool loop options: expected the result of `createJournal()` of `kelivo-responses/journal`, got an object.',
    ],
    [{ tools, onEvent: true }, 'Invalid `onEvent` of the tool loop options: expected a function, got true.'],
    [
      { tools, maxrounds: 3 },
      'Unknown setting `maxrounds` in the tool loop options. Did you mean `maxRounds`?',
    ],
    [
      { tools, limit: 3 },
      'Unknown setting `limit` in the tool loop options. Valid names: tools, historySecret, maxRounds',
    ],
  ])('%j are rejected with the expected and the received value', (options, message) => {
    const validate = () => validateToolLoopOptions(options);
    expect(validate).toThrow(message);
    expect(validate).toThrow(KelivoError);
    expect(validate).toThrow(expect.objectContaining({ code: 'invalid-settings' }));
  });

  it('are validated when a model is wrapped, before any call', () => {
    const options = { tools, execution: 'fast' as 'auto' };
    expect(() => withToolLoop(scriptedModel(textRound('Hi')), options)).toThrow('Invalid `execution`');
  });

  it('are returned unchanged if they are valid', () => {
    const journal = { open: () => Promise.reject(new Error('unused')) };
    const options = {
      tools: [tools],
      maxRounds: 1,
      journal,
      retry: { initialDelay: 0 },
      timeouts: { total: 1 },
    };
    expect(validateToolLoopOptions(options)).toEqual(options);
    expect(validateToolLoopOptions(options).tools).toContain(tools);
    expect(validateToolLoopOptions(options).journal).toBe(journal);
  });
});

it.each([1, true, ['ada'], { id: 'ada' }])('refuses a call whose scope is not a text: %j', async scope => {
  const model = scriptedModel(textRound('Done.'));
  const providerOptions = { kelivo: { scope } };
  await expect(generate(withToolLoop(model, { tools }), { providerOptions })).rejects.toThrow(
    `Expected \`providerOptions.kelivo.scope\` to be a string, got ${JSON.stringify(scope)}. Correct it or omit it.`,
  );
  expect(model.requests).toEqual([]);
});
