import type { LanguageModelV2Middleware } from '@ai-sdk/provider';
import { KelivoError } from '../shared/errors.js';
import { isPlainObject } from '../shared/json.js';

const hooks = [
  'transformParams',
  'wrapGenerate',
  'wrapStream',
  'overrideProvider',
  'overrideModelId',
  'overrideSupportedUrls',
] as const;

/**
 * Checks the definition of an adapter. Settings are checked with it, so it must not load the code of adapters.
 *
 * @throws KelivoError with code `invalid-settings` that names the field, the expected and the received value.
 */
export function checkAdapter(adapter: unknown): void {
  const { name, appliesTo, middleware, adaptBack } = isPlainObject(adapter) ? adapter : {};
  if (typeof name !== 'string' || name === '') fail('`name` to be the name of a model family', name);
  if (typeof appliesTo !== 'function') {
    fail(`\`appliesTo\` of the adapter "${name}" to be a function of a model id`, appliesTo);
  }
  if (adaptBack !== undefined && typeof adaptBack !== 'function') {
    fail(`\`adaptBack\` of the adapter "${name}" to be a function of a part`, adaptBack);
  }
  if (middleware !== undefined || adaptBack === undefined) checkMiddleware(name, middleware);
}

function checkMiddleware(name: string, middleware: unknown): void {
  if (!isMiddleware(middleware)) {
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
}

const isMiddleware = (value: unknown): value is LanguageModelV2Middleware =>
  typeof value === 'object' && value !== null;

function fail(expected: string, received: unknown): never {
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected ${expected}, got ${describe(received)}.`,
  });
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === '' ? '""' : String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an empty object' : `an object with the keys ${keys.join(', ')}`;
}
