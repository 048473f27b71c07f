import { KelivoError } from '../core/shared/errors.js';
import { objectOf } from '../core/shared/json.js';
import { toNameHint } from '../core/shared/names.js';
import { registerUnique } from '../core/shared/registration.js';
import { type AdapterModule, toModuleName } from './adapter-choice.js';
import { adapterOf, createMiddleware, wrapLater } from './kit/middleware.js';
import type { ModelAdapter, ModelAdapterDefinition, ModelAdapterRegistry } from './kit/definition.js';
import { defineModelAdapter } from './kit/model-adapter.js';
import { loadOnce } from '../core/shared/once.js';

/**
 * Creates a registry that is independent of the default one.
 *
 * @param adapters The initial adapters, for example `modelAdapters.all()`.
 * @throws KelivoError with code `invalid-settings` for an invalid adapter or two adapters with the same name.
 */
export function createModelAdapterRegistry(
  adapters: Iterable<ModelAdapter | ModelAdapterDefinition> = [],
): ModelAdapterRegistry {
  const byName = new Map<string, ModelAdapter>();

  const registry: ModelAdapterRegistry = {
    register(adapter, options) {
      const defined = defineModelAdapter(adapter);
      const { name } = defined;
      const message = `Expected a unique adapter name, got a second "${name}". Rename it, or set { replace: true }.`;
      registerUnique(byName, [name, defined], { ...options, message });
    },
    unregister: name => byName.delete(name),
    get: name => byName.get(name),
    findFor: modelId => [...byName.values()].filter(adapter => adapter.appliesTo(modelId)),
    all: () => [...byName.values()],
  };
  for (const adapter of adapters) registry.register(adapter, { replace: false });
  return registry;
}

/** Imports a module by its name. */
export type ImportAdapterModule = (name: string) => Promise<unknown>;

const importFromHere: ImportAdapterModule = name => import(/* @vite-ignore */ /* webpackIgnore: true */ name);

/** Creates an adapter whose module is imported by the first call of a model. After a failed import, the next call tries again. */
export function importAdapter(
  module: AdapterModule,
  importModule: ImportAdapterModule = importFromHere,
): ModelAdapter {
  const load = loadOnce(() => loadAdapter(module, importModule));
  return {
    name: toModuleName(module),
    appliesTo: () => true,
    middleware: createMiddleware({
      wrap: (model, context) =>
        wrapLater(model, async () => adapterOf((await load()).middleware).wrap(model, context)),
    }),
  };
}

async function loadAdapter(module: AdapterModule, importModule: ImportAdapterModule): Promise<ModelAdapter> {
  const { import: name, export: exported = 'default' } = module;
  let exports: Readonly<Record<string, unknown>>;
  try {
    exports = objectOf(await importModule(name)) ?? {};
  } catch (cause) {
    throw new KelivoError({
      code: 'missing-package',
      message: `The module "${name}" of an adapter cannot be imported: ${String(cause)}. Install it, or correct \`import\`.`,
      cause,
    });
  }
  if (!Object.hasOwn(exports, exported)) {
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        `Expected the module "${name}" to export an adapter as "${exported}". ` +
        toNameHint(exported, { kind: 'exports', known: Object.keys(exports) }),
    });
  }
  return defineModelAdapter(exports[exported] as ModelAdapter);
}
