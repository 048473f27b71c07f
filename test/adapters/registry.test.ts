import { describe, expect, it } from 'vitest';
import { createModelAdapterRegistry } from '../../src/adapters/registry.js';
import type { ModelAdapter } from '../../src/adapters/kit/definition.js';
import { defineModelAdapter, matchModelName } from '../../src/adapters/kit/model-adapter.js';

const family = (name: string): ModelAdapter =>
  defineModelAdapter({
    name,
    appliesTo: matchModelName(name),
    middleware: { transformParams: async ({ params }) => params },
  });
const [a, b] = [family('alpha'), family('beta')];

describe('a registry', () => {
  it('finds the adapters of a model in the order of registration', () => {
    const registry = createModelAdapterRegistry([b]);
    registry.register(a);
    expect(registry.all()).toEqual([b, a]);
    expect(registry.findFor('alpha-beta-1')).toEqual([b, a]);
    expect(registry.findFor('alpha-1')).toEqual([a]);
    expect(registry.findFor('gamma')).toEqual([]);
  });

  it('removes an adapter by its name, and reports if there was one', () => {
    const registry = createModelAdapterRegistry([a, b]);
    expect(registry.unregister('alpha')).toBe(true);
    expect(registry.unregister('alpha')).toBe(false);
    expect(registry.all()).toEqual([b]);
    registry.register(a);
    expect(registry.all()).toEqual([b, a]);
  });

  it('rejects a second adapter with the same name, and keeps the first', () => {
    const registry = createModelAdapterRegistry([a]);
    expect(() => registry.register(family('alpha'))).toThrow(
      'Expected a unique adapter name, got a second "alpha". Rename it, or set { replace: true }.',
    );
    expect(registry.all()).toEqual([a]);
    expect(() => createModelAdapterRegistry([a, a])).toThrow('a second "alpha"');
  });

  it('rejects an invalid adapter', () => {
    expect(() => createModelAdapterRegistry().register({ ...a, name: '' })).toThrow('Expected `name`');
  });

  it('is independent of its initial list', () => {
    const list = [a];
    const registry = createModelAdapterRegistry(list);
    registry.register(b);
    expect(list).toEqual([a]);
    list.push(family('gamma'));
    expect(registry.all()).toEqual([a, b]);
  });
});
