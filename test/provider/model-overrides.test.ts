import { expect, it } from 'vitest';
import { createKelivoResponsesProvider, KelivoError } from '../../src/index.js';
import { resolveModelOverride } from '../../src/provider/model-overrides.js';
import { compatibilityByHost } from '../../src/responses/compatibility/compatibility.js';

const known = {};

it('prefers the more specific pattern, field by field and in any order', () => {
  const models = {
    'qwen3-8b': { body: { a: 'exact' } },
    '*': { headers: { x: 'all' }, body: { a: 'all', b: 'all', c: 'all' } },
    'qwen3*': { body: { a: 'family', b: 'family' } },
    'llama*': { body: { d: 'llama' } },
  };
  expect(resolveModelOverride('qwen3-8b', { models }, known)).toEqual({
    headers: { x: 'all' },
    body: { a: 'exact', b: 'family', c: 'all' },
    compatibility: {},
  });
});

it('prefers the later of equally specific patterns', () => {
  const models = {
    'qwen*': { body: { a: 1 } },
    '*n3-8': { body: { a: 2 } },
  };
  expect(resolveModelOverride('qwen3-8', { models }, known).body).toEqual({ a: 2 });
});

it.each([
  ['gpt-5', 'gpt-5', true],
  ['gpt-5', 'gpt-5-mini', false],
  ['gpt-4.1*', 'gpt-4x1', false],
  ['*/gpt-5', 'openai/gpt-5', true],
  ['a*c*e', 'abcde', true],
  ['(qwen)*', '(qwen)3', true],
])('matches %s against %s: %s', (pattern, modelId, matches) => {
  const { body } = resolveModelOverride(modelId, { models: { [pattern]: { body: { found: true } } } }, known);
  expect('found' in body).toBe(matches);
});

it('selects the compatibility by host, then by provider, then by model', () => {
  const compatibilityOf = (options: Parameters<typeof resolveModelOverride>[1]) =>
    resolveModelOverride('grok-4', options, compatibilityByHost('api.x.ai')).compatibility;

  expect(compatibilityOf({})).toEqual({
    additionalProperties: false,
    instructionsWithPreviousResponse: false,
  });
  expect(compatibilityOf({ compatibility: 'openai' })).toEqual({});
  expect(compatibilityOf({ compatibility: { status: true } })).toMatchObject({
    additionalProperties: false,
    status: true,
  });
  expect(
    compatibilityOf({ compatibility: { status: true }, models: { grok: { compatibility: 'openai' } } }),
  ).toHaveProperty('status');
  expect(
    compatibilityOf({
      compatibility: 'lmstudio',
      models: { 'grok*': { compatibility: { toolImages: 'text' } } },
    }),
  ).toEqual({ toolOutput: 'string', toolImages: 'text' });
});

it.each([
  [{ compatibility: 'lm-studio' }, /Invalid `compatibility`.*expected one of "openai", .*"lmstudio"/],
  [{ compatibility: { toolOutput: 'text' } }, /Invalid `compatibility\.toolOutput`/],
  [{ models: { 'qwen*': { header: {} } } }, /Unknown setting `header` in `models.qwen\*`/],
  [{ models: { 'qwen*': { body: { stream: false } } } }, /Invalid `models.qwen\*.body`.*no `stream`/],
])('rejects %j', (settings, message) => {
  const create = () => createKelivoResponsesProvider(settings as object);
  expect(create).toThrow(KelivoError);
  expect(create).toThrow(message);
});
