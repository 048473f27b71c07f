import type { Part } from '../core/part.js';
import type { AdaptedCall } from '../text-tools/text-tools.js';
import type { AnyMiddleware } from '../versions/middleware.js';

/** Corrects the quirks of one model family. */
export interface ModelAdapter<Middleware extends AnyMiddleware = AnyMiddleware> {
  /** The family, for example `mistral`. Unique in a registry. */
  readonly name: string;
  /** Returns true if the model id belongs to this family, regardless of the server that serves it. */
  appliesTo(modelId: string): boolean;
  /** Wraps the model. Concurrent calls share it, so it keeps no state between calls. */
  readonly middleware: Middleware;
}

/** A model adapter before it is defined. It has a `middleware`, `adaptBack` or both. */
export interface ModelAdapterDefinition<Middleware extends AnyMiddleware = AnyMiddleware> extends Omit<
  ModelAdapter,
  'middleware'
> {
  /** Wraps the model. @default the request is left unchanged */
  readonly middleware?: Middleware | undefined;
  /**
   * Replaces each part of a response. Generated responses are read as the same parts as streamed ones, so that one
   * function serves both. It receives the parts of the `middleware`, or of the model without one.
   * @default parts are left unchanged
   */
  readonly adaptBack?: AdaptBack;
}

/** The call that a part belongs to. */
export interface AdaptBackContext {
  readonly modelId: string;
  /** The options of the call, with the tools that it declares. */
  readonly params: AdaptedCall;
}

/**
 * Returns the replacement of a part of a response: a part, or several. An empty list drops the part. Concurrent calls
 * share the function, so it keeps no state between parts.
 */
export type AdaptBack = (part: Part, context: AdaptBackContext) => Part | readonly Part[];

/** Finds the adapters of model families by model id. */
export interface ModelAdapterRegistry {
  /**
   * Adds an adapter after the others, so that it wraps the model more closely.
   *
   * @throws KelivoError with code `invalid-settings` for an invalid adapter or a name that is taken.
   */
  register(adapter: ModelAdapter | ModelAdapterDefinition): void;
  /** Removes an adapter by its name. Returns false if there was none. */
  unregister(name: string): boolean;
  /** Returns the adapter with a name, or undefined if there is none. */
  get(name: string): ModelAdapter | undefined;
  /** Returns the adapters that apply to a model, in the order of registration. */
  findFor(modelId: string): readonly ModelAdapter[];
  /** Returns all adapters in the order of registration. */
  all(): readonly ModelAdapter[];
}
