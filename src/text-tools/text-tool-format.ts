import type { DeclaredTool } from './declared-tools.js';
import type { Reading, TextCursor } from './text-cursor.js';

/**
 * How a family of models writes its tool calls as text. What is around a call is told as data, the call itself is read
 * by `read`, which streams what it knows for certain and may still fail: then the text of the call is text.
 */
export interface TextToolFormat {
  /** For people. */
  readonly name: string;
  /** Texts that a call begins with. */
  readonly openers: readonly string[];
  /** What a call without a marker begins with. It counts only where an answer begins, as it is common in prose. */
  readonly startOpeners?: readonly string[];
  /** Texts that may stand before an opener, such as the beginning of a list of calls. */
  readonly prefixes?: readonly string[];
  /** Texts that are dropped directly behind a call, such as the end of a list of calls. */
  readonly closers?: readonly string[];
  /** Texts that are never meant for people and are dropped wherever they are. */
  readonly artefacts?: readonly string[];
  /** Those of `openers` and `prefixes` that also end reasoning that was not closed. */
  readonly reasoningEnders?: readonly string[];
  /** What becomes of calls of tools that are not declared. Without it they are text, and go out as they come. */
  readonly undeclared?: UndeclaredCalls;
  /** Whether what follows the opener and white space is of this format. Looks ahead and takes nothing. */
  accepts?(cursor: TextCursor, calls: TextCalls): Reading<boolean>;
  /**
   * Reads one call, or several, from behind the opener and white space.
   *
   * @returns whether it was read to its end. If not, all that was taken since the last whole call is text.
   */
  read(cursor: TextCursor, calls: TextCalls, opener: string): Reading<boolean>;
}

/** Shows calls of tools that are not declared as something else than their text. */
export interface UndeclaredCalls {
  /** Whether a call with these arguments so far may be shown. It is held as long as it may. */
  mayShow(input: string): boolean;
  /** What is shown of a whole call, on lines of its own; undefined for its text. */
  show(call: { name: string; input: string }): string | undefined;
}

/** Where a format tells what it reads. */
export interface TextCalls {
  /** Whether a declared tool's name begins with this text. */
  isNameStart(text: string): boolean;
  /**
   * A call of this name begins. Nothing is told to the host yet.
   *
   * @returns the tool, or undefined where none of this name is declared: the call is to be read on, but it is text.
   */
  begin(name: string, options?: { id?: string | undefined }): DeclaredTool | undefined;
  /** The next piece of the call's arguments, JSON. What is told cannot be taken back. */
  input(text: string): void;
  /** The call is whole. Without any `input` it has no arguments. */
  end(): void;
}
