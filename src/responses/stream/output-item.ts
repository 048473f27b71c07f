import type { Part } from '../../core/part.js';
import type { PlainObject } from '../../shared/json.js';

/**
 * The kinds of output items: three that are streamed, `hosted` for calls of hosted tools and their results, and `opaque`
 * for all other types.
 */
export type ItemKind = 'message' | 'reasoning' | 'function_call' | 'hosted' | 'opaque';

/** An output item that is being converted to stream parts. */
export interface OutputItem {
  closed: boolean;
  /** Handles an `output_item.added` that arrives after a delta. */
  announce?(wire: PlainObject): void;
  /** Returns true if the streamed content can belong to a finished wire item. */
  isSameAs(wire: PlainObject): boolean;
  /**
   * Writes the missing content and closes the parts of the item.
   *
   * @param wire the finished item, or undefined if the response ended without it.
   */
  finish(wire: PlainObject | undefined, options?: { broken?: boolean }): void;
}

/** The output of an item and its announcement. */
export interface PartWriter {
  readonly write: (part: Part) => void;
  /** The item of `response.output_item.added`; undefined if a delta came first. */
  readonly announced: PlainObject | undefined;
}
