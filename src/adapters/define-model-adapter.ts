import { KelivoError } from '../shared/errors.js';
import type { ModelAdapter } from './model-adapter.js';

const hooks = [
  'transformParams',
  'wrapGenerate',
  'wrapStream',
  'overrideProvider',
  'overrideModelId',
  'overrideSupportedUrls',
] as const;

/**
 * Types and checks the adapter of a model family.
 *
 * @example
 * ```ts
 * export const shouty = defineModelAdapter({
 *   name: 'shouty',
 *   appliesTo: matchModelName('shouty'),
 *   middleware: { transformParams: async ({ params }) => ({ ...params, temperature: 0 }) },
 * });
 * ```
 *
 * @throws KelivoError with code `invalid-settings`, naming the field, what was expected and what came.
 */
export function defineModelAdapter(adapter: ModelAdapter): ModelAdapter {
  const { name, appliesTo, middleware }: Partial<ModelAdapter> = Object(adapter);
  if (typeof name !== 'string' || name === '') fail('`name` to be the name of a family', name);
  if (typeof appliesTo !== 'function') {
    fail(`\`appliesTo\` of the adapter "${name}" to be a function of a model id`, appliesTo);
  }
  if (typeof middleware !== 'object' || middleware === null) {
    fail(`\`middleware\` of the adapter "${name}" to be an object`, middleware);
  }
  const given = hooks.filter(hook => middleware[hook] !== undefined);
  if (given.length === 0) {
    fail(`\`middleware\` of the adapter "${name}" to have one of ${hooks.join(', ')}`, middleware);
  }
  for (const hook of given) {
    if (typeof middleware[hook] !== 'function') {
      fail(`\`middleware.${hook}\` of the adapter "${name}" to be a function`, middleware[hook]);
    }
  }
  return adapter;
}

function fail(expected: string, got: unknown): never {
  throw new KelivoError({ code: 'invalid-settings', message: `Expected ${expected}, got ${toShown(got)}.` });
}

function toShown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === '' ? '""' : String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an empty object' : `an object of ${keys.join(', ')}`;
}
