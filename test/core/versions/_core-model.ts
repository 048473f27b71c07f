import type { CoreCall } from '../../../src/core/call.js';
import type { Part } from '../../../src/core/part.js';
import { type CoreModel, sourceOf } from '../../../src/core/source.js';

/**
 * Creates a model of this package that returns the given parts for every call. Its histories have an own store, so that tests
 * can write facts.
 */
export function scriptedCore(parts: readonly Part[]): CoreModel & { readonly calls: readonly CoreCall[] } {
  const calls: CoreCall[] = [];
  return {
    calls,
    provider: 'scripted',
    modelId: 'scripted-1',
    supportedUrls: {},
    history: () => undefined,
    async open(call) {
      calls.push(call);
      return sourceOf(parts);
    },
  };
}
