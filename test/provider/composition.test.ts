import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';

const openaiModels = [
  ...['gpt-4', 'gpt-4o', 'gpt-4o-mini', 'gpt-4.1-nano', 'gpt-4-turbo', 'chatgpt-4o-latest'],
  ...['gpt-5', 'gpt-5-mini-2025-08-07', 'gpt-5.1-codex-max', 'gpt-5.2-pro', 'gpt-6'],
  ...['o1', 'o1-preview', 'o3-mini', 'o4-mini-2025-04-16'],
];
const others = ['gpt-oss-20b', 'gpt-4-hermes', 'qwen3-32b', 'assistant', 'openai/gpt-5', 'o1-mini-deepseek'];

beforeEach(() => void vi.resetModules());

it('loads no adapters for models of OpenAI, to which none applies', async () => {
  const { mayHaveAdapters } = await import('../../src/adapters/adapter-choice.js');
  const { modelAdapters } = await import('../../src/adapters/index.js');
  expect(openaiModels.filter(id => mayHaveAdapters(undefined, id))).toEqual([]);
  expect(openaiModels.flatMap(id => modelAdapters.findFor(id))).toEqual([]);
  expect(others.filter(id => !mayHaveAdapters(undefined, id))).toEqual([]);
  expect(mayHaveAdapters(false, 'qwen3-32b')).toBe(false);
  expect(mayHaveAdapters(['qwen'], 'gpt-5')).toBe(true);
});

it('loads the adapters for all models once the application has registered one', async () => {
  const { mayHaveAdapters } = await import('../../src/adapters/adapter-choice.js');
  const { modelAdapters } = await import('../../src/adapters/index.js');
  // Files that run later in the same process receive this registry.
  onTestFinished(() => void modelAdapters.unregister('tulip'));
  modelAdapters.register({ name: 'tulip', appliesTo: () => true, middleware: { wrapStream: vi.fn() } });
  expect(mayHaveAdapters(undefined, 'gpt-5')).toBe(true);
});
