import { describe, expect, it } from 'vitest';
import { createModelAdapterRegistry } from '../../src/adapters/registry.js';
import { defineModelAdapter } from '../../src/adapters/model-adapter.js';
import { matchModelName } from '../../src/adapters/model-adapter.js';
import type { ModelAdapter } from '../../src/adapters/model-adapter.js';

const family = (name: string): ModelAdapter =>
  defineModelAdapter({
    name,
    appliesTo: matchModelName(name),
    middleware: { transformParams: async ({ params }) => params },
  });
const [a, b] = [family('alpha'), family('beta')];

describe('a registry', () => {
  it('finds the adapters of a model in the order they were added', () => {
    const registry = createModelAdapterRegistry([b]);
    registry.register(a);
    expect(registry.all()).toEqual([b, a]);
    expect(registry.findFor('alpha-beta-1')).toEqual([b, a]);
    expect(registry.findFor('alpha-1')).toEqual([a]);
    expect(registry.findFor('gamma')).toEqual([]);
  });

  it('forgets an adapter by its name, and tells whether there was one', () => {
    const registry = createModelAdapterRegistry([a, b]);
    expect(registry.unregister('alpha')).toBe(true);
    expect(registry.unregister('alpha')).toBe(false);
    expect(registry.all()).toEqual([b]);
    registry.register(a);
    expect(registry.all()).toEqual([b, a]);
  });

  it('refuses a second adapter of a name, and stays as it was', () => {
    const registry = createModelAdapterRegistry([a]);
    expect(() => registry.register(family('alpha'))).toThrow(
      'Expected an adapter with a name of its own, got a second "alpha". Unregister the first, or rename this one.',
    );
    expect(registry.all()).toEqual([a]);
    expect(() => createModelAdapterRegistry([a, a])).toThrow('a second "alpha"');
  });

  it('checks what it is given', () => {
    expect(() => createModelAdapterRegistry().register({ ...a, name: '' })).toThrow('Expected `name`');
  });

  it('is told apart from the list it began with', () => {
    const list = [a];
    const registry = createModelAdapterRegistry(list);
    registry.register(b);
    expect(list).toEqual([a]);
    list.push(family('gamma'));
    expect(registry.all()).toEqual([a, b]);
  });
});
