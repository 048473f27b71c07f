import { expect, it } from 'vitest';
import { defineModelAdapter } from '../../src/adapters/model-adapter.js';
import type { ModelAdapter } from '../../src/adapters/model-adapter.js';

const whole: ModelAdapter = {
  name: 'shouty',
  appliesTo: () => true,
  middleware: { transformParams: async ({ params }) => params },
};

it('gives back the adapter it is given', () => {
  expect(defineModelAdapter(whole)).toBe(whole);
});

it.each<[string, unknown, string]>([
  ['nothing', undefined, 'Expected `name` to be the name of a family, got undefined.'],
  ['no name', { ...whole, name: '' }, 'Expected `name` to be the name of a family, got "".'],
  [
    'a pattern for a test',
    { ...whole, appliesTo: /shouty/ },
    'Expected `appliesTo` of the adapter "shouty" to be a function of a model id, got an empty object.',
  ],
  [
    'a function for a middleware',
    { ...whole, middleware: 1 },
    'Expected `middleware` of the adapter "shouty" to be an object, got 1.',
  ],
  [
    'a middleware that does nothing, for its hook is misspelt',
    { ...whole, middleware: { wrapstream: () => undefined } },
    'Expected `middleware` of the adapter "shouty" to have one of transformParams, wrapGenerate, wrapStream, ' +
      'overrideProvider, overrideModelId, overrideSupportedUrls, got an object of wrapstream.',
  ],
  [
    'a hook that is no function',
    { ...whole, middleware: { wrapStream: true } },
    'Expected `middleware.wrapStream` of the adapter "shouty" to be a function, got true.',
  ],
])('refuses %s', (_, adapter, message) => {
  expect(() => defineModelAdapter(adapter as ModelAdapter)).toThrow(
    expect.objectContaining({ code: 'invalid-settings', message }),
  );
});
