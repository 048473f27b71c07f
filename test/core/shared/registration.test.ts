import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import {
  createModelAdapterRegistry,
  defineModelAdapter,
  registerToolPrompt,
} from '../../../src/adapters/index.js';
import { toolPromptNames } from '../../../src/adapters/kit/definition.js';
import { createKelivoResponsesProvider, registerProvider } from '../../../src/index.js';

afterEach(() => vi.unstubAllEnvs());
// Tests of all syntaxes share the module.
afterAll(() => void toolPromptNames.delete('daisy'));

const adapters = createModelAdapterRegistry();
const createAdapter = (name: string) =>
  defineModelAdapter({
    name,
    appliesTo: () => true,
    middleware: { transformParams: async ({ params }) => params },
  });
const syntax = { tools: '{{tools}}', call: '{{call}}', result: '{{result}}', formats: ['hermes'] };

/** What a module does that registers something when it is evaluated. */
const registrations = {
  adapter: (options?: { replace: boolean }) => adapters.register(createAdapter('daisy'), options),
  'tool prompt': (options?: { replace: boolean }) => registerToolPrompt('daisy', { ...syntax }, options),
  provider: (options?: { replace: boolean }) =>
    void registerProvider(
      'daisy',
      createKelivoResponsesProvider({ fetch: async () => new Response() }),
      options,
    ),
};

describe.each(Object.entries(registrations))('the registration of a %s', (_, register) => {
  it('survives a second evaluation in development, and elsewhere with `replace`', () => {
    vi.stubEnv('NODE_ENV', 'development');
    register();
    register();
    vi.stubEnv('NODE_ENV', 'production');
    expect(() => register()).toThrow(/Expected .*"daisy"/);
    register({ replace: true });
    vi.stubEnv('NODE_ENV', 'development');
    expect(() => register({ replace: false })).toThrow(/Expected .*"daisy"/);
  });
});

it('keeps the place of an adapter', () => {
  const registry = createModelAdapterRegistry([createAdapter('a'), createAdapter('b')]);
  registry.register(createAdapter('a'), { replace: true });
  expect(registry.all().map(({ name }) => name)).toEqual(['a', 'b']);
});
