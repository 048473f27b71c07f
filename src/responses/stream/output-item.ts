import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import type { PlainObject } from '../../shared/json.js';

/** The kinds of output item: three that are streamed in pieces, and `hosted` for the items of all other types. */
export type ItemKind = 'message' | 'reasoning' | 'function_call' | 'hosted';

/** An output item that is being turned into stream parts. */
export interface OutputItem {
  readonly kind: ItemKind;
  closed: boolean;
  /** Takes in what `output_item.added` says, where it comes after a delta. */
  announce?(wire: PlainObject): void;
  /** Whether a finished item of the wire can be this one, judged by what has been streamed of it. */
  isSameAs(wire: PlainObject): boolean;
  /**
   * Writes what is still missing and closes the item's parts.
   *
   * @param wire the finished item, or undefined where the response ended without one.
   */
  finish(wire: PlainObject | undefined, options?: { broken?: boolean }): void;
}

/** What an item writes with, and what the server said of it when it began. */
export interface PartWriter {
  readonly write: (part: LanguageModelV2StreamPart) => void;
  /** The item of `response.output_item.added`; undefined where a delta came first. */
  readonly announced: PlainObject | undefined;
}
