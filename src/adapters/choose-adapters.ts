import { KelivoError } from '../shared/errors.js';
import { objectOf } from '../shared/json.js';
import { toNameHint } from '../shared/nearest-name.js';
import {
  type AdapterModule,
  type AdapterSelection,
  isAdapterModule,
  isRegistry,
  toModuleName,
  validateAdapters,
} from './adapter-choice.js';
import { wrapModel } from './middleware.js';
import { defineModelAdapter, type ModelAdapter } from './model-adapter.js';
import type { ModelAdapterRegistry } from './registry.js';

/** Imports a module by its name. */
export type ImportAdapterModule = (name: string) => Promise<unknown>;

const importFromHere: ImportAdapterModule = name => import(/* @vite-ignore */ /* webpackIgnore: true */ name);

/**
 * Returns the adapters of a selection that apply to a model, in order.
 *
 * @throws KelivoError with code `invalid-settings` for an invalid selection.
 */
export function chooseAdapters(
  selection: AdapterSelection,
  { modelId, registry }: { modelId: string; registry: ModelAdapterRegistry },
): readonly ModelAdapter[] {
  if (selection === false) return [];
  if (isRegistry(selection)) return selection.findFor(modelId);
  validateAdapters(selection);
  return selection.flatMap(choice => {
    if (typeof choice === 'string') return registry.get(choice) ?? [];
    if (isAdapterModule(choice)) return importAdapter(choice);
    const adapter = defineModelAdapter(choice);
    return adapter.appliesTo(modelId) ? adapter : [];
  });
}

/** Creates an adapter whose module is imported by the first call of a model. After a failed import, the next call tries again. */
export function importAdapter(
  module: AdapterModule,
  importModule: ImportAdapterModule = importFromHere,
): ModelAdapter {
  let loading: Promise<ModelAdapter> | undefined;
  const load = (): Promise<ModelAdapter> =>
    (loading ??= loadAdapter(module, importModule).catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
  return {
    name: toModuleName(module),
    appliesTo: () => true,
    middleware: {
      middlewareVersion: 'v2',
      wrapGenerate: async ({ model, params }) =>
        wrapModel(model, [(await load()).middleware]).doGenerate(params),
      wrapStream: async ({ model, params }) => wrapModel(model, [(await load()).middleware]).doStream(params),
    },
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
