import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import type { Reading, TextCursor } from './text-cursor.js';

/**
 * The syntax of tool calls that a model family writes as text. The surroundings of a call are data. The call itself is
 * read by `read`, which streams input as soon as it is certain. If the call turns out to be invalid, it is emitted as
 * text.
 */
export interface TextToolFormat {
  /** A name for diagnostics. */
  readonly name: string;
  /** Markers that start a call. */
  readonly openers: readonly string[];
  /** The first characters of calls without a marker. They count only at the start of a response, as prose uses them. */
  readonly startOpeners?: readonly string[];
  /** Markers that may precede an opener, such as the start of a list of calls. */
  readonly prefixes?: readonly string[];
  /** Markers that are dropped directly after a call, such as the end of a list of calls. */
  readonly closers?: readonly string[];
  /** Markers that users must never see. They are dropped everywhere. */
  readonly artefacts?: readonly string[];
  /** The `openers` and `prefixes` that also end unclosed reasoning. */
  readonly reasoningEnders?: readonly string[];
  /**
   * Replaces calls of undeclared tools.
   * @default such calls are emitted as text while they arrive
   */
  readonly undeclared?: UndeclaredCalls;
  /** Returns true if the text after the opener and white space has this format. Looks ahead and takes nothing. */
  accepts?(cursor: TextCursor, calls: TextCalls): Reading<boolean>;
  /**
   * Reads one or several calls after the opener and white space.
   *
   * @returns false if a call is incomplete or invalid. Everything after the last complete call is then text.
   */
  read(cursor: TextCursor, calls: TextCalls, opener: string): Reading<boolean>;
}

/** Replaces calls of undeclared tools by other text. */
export interface UndeclaredCalls {
  /** Returns true if a call with this partial input may be replaced. Its text is buffered meanwhile. */
  mayReplace(input: string): boolean;
  /** Returns the text that replaces a complete call, on separate lines, or undefined to emit the call's text. */
  replace(call: { name: string; input: string }): string | undefined;
}

/** Receives the calls that a format reads. */
export interface TextCalls {
  /** Returns true if the name of a declared tool starts with this text. */
  isNameStart(text: string): boolean;
  /**
   * Starts a call. Nothing is emitted yet.
   *
   * @returns the tool, or undefined if no tool with this name is declared: the call must still be read, but is text.
   */
  begin(name: string, options?: { id?: string | undefined }): DeclaredTool | undefined;
  /** Emits the next chunk of the call's JSON arguments. It cannot be retracted. */
  input(text: string): void;
  /** Completes the call. A call without any `input` has no arguments. */
  end(): void;
}

/** A function tool of the request. */
export interface DeclaredTool {
  readonly name: string;
  /** The JSON Schema of its arguments. */
  readonly schema: unknown;
}

export type DeclaredTools = ReadonlyMap<string, DeclaredTool>;

/** Returns the tools that a text may call: the function tools of the request, or none with `toolChoice: 'none'`. */
export function toDeclaredTools({
  tools = [],
  toolChoice,
}: Pick<LanguageModelV2CallOptions, 'tools' | 'toolChoice'>): DeclaredTools {
  if (toolChoice?.type === 'none') return new Map();
  return new Map(
    tools.flatMap(tool =>
      tool.type === 'function' ? [[tool.name, { name: tool.name, schema: tool.inputSchema }]] : [],
    ),
  );
}
