import { type CoreModel, withOpen } from '../../core/source.js';
import { loadOnce } from '../../core/shared/once.js';
import type { AdaptedCall, TextToolSettings } from '../text-tools/text-tools.js';
import {
  type AnyMiddleware,
  applyMiddleware,
  type ModelMiddleware,
  toMiddleware,
} from '../../core/versions/middleware.js';
import type { VersionName } from '../../core/versions/versions.js';

/** The model that an adapter wraps, and its settings. */
export interface AdapterContext extends TextToolSettings {
  /** The version of the adapted model. Middlewares of applications implement the same version. */
  readonly version: VersionName;
}

/** The code of a middleware, without a version. */
export interface CoreAdapter {
  wrap(model: CoreModel, context: AdapterContext): CoreModel;
  /** True if it reads calls in the text. @default false */
  readonly readsText?: boolean;
}

/** The key of the adapter in a middleware of this package. Copies of the middleware do not have it. */
const ADAPTER = Symbol('adapter');

export const createMiddleware = (adapter: CoreAdapter): ModelMiddleware =>
  Object.defineProperty(
    toMiddleware((model, version) => adapter.wrap(model, { version })),
    ADAPTER,
    { value: adapter },
  );

/** Returns the adapter of a middleware. A middleware of an application receives values of the adapted model's version. */
export function adapterOf(middleware: AnyMiddleware | ModelMiddleware): CoreAdapter {
  const { [ADAPTER]: adapter } = middleware as { readonly [ADAPTER]?: CoreAdapter };
  return adapter ?? { wrap: (model, context) => applyMiddleware(model, middleware, context.version) };
}

/** Returns a model whose wrapper is loaded by the first call. After a failure, the next call tries again. */
export function wrapLater(model: CoreModel, load: () => Promise<CoreModel>): CoreModel {
  const loaded = loadOnce(load);
  return withOpen(model, async call => (await loaded()).open(call));
}

/**
 * Creates the part of a family's middleware that reads its text. The parser and the formats are loaded by the first call of a
 * model, so that an application starts without them.
 */
export const readerMiddleware = (
  load: () => Promise<{ readonly reader: ModelMiddleware }>,
): ModelMiddleware =>
  createMiddleware({
    wrap: (model, context) =>
      wrapLater(model, async () => adapterOf((await load()).reader).wrap(model, context)),
    readsText: true,
  });

/** Joins several adapters into one, the first one outermost. */
export const joinAdapters = (adapters: readonly CoreAdapter[]): CoreAdapter => ({
  readsText: adapters.some(adapter => adapter.readsText),
  wrap: (model, context) => adapters.reduceRight((inner, adapter) => adapter.wrap(inner, context), model),
});

/** Joins several middlewares into one, the first one outermost. */
export const joinMiddlewares = (
  ...middlewares: readonly (AnyMiddleware | ModelMiddleware)[]
): ModelMiddleware => createMiddleware(joinAdapters(middlewares.map(adapterOf)));

/**
 * Returns true if a request continues the current turn after results of its tools. A new message of the user does not,
 * whatever results the history contains.
 */
export function isContinuation(call: Pick<AdaptedCall, 'prompt'>): boolean {
  const last = call.prompt.at(-1);
  return last?.role === 'tool' && last.content.some(part => part.type === 'tool-result');
}
