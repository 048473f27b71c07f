import type { JSONSchema7 } from '@ai-sdk/provider';
import type { CoreCall } from '../../../core/call.js';
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
  /** Words that start a call at the start of a line. Elsewhere they are prose. */
  readonly lineOpeners?: readonly string[];
  /** The first characters of calls without a marker. They count only at the start of a response, as prose uses them. */
  readonly startOpeners?: readonly string[];
  /** Markers that may precede an opener, such as the start of a list of calls. */
  readonly prefixes?: readonly string[];
  /** Markers that are dropped directly after a call, such as the end of a list of calls. `read` may leave them. */
  readonly closers?: readonly string[];
  /** Markers that users must never see. They are dropped everywhere, also in requests without tools. */
  readonly artefacts?: readonly string[];
  /** Markers that end the model's turn. They are dropped at the end of a response, also in requests without tools. */
  readonly turnEnds?: readonly string[];
  /**
   * The markers also structure messages without calls, so they are read even if the request has no tools.
   * @default false
   */
  readonly isMessageMarkup?: boolean;
  /** Tags around the visible text. A pair that encloses the whole text of a response is dropped. */
  readonly wrappers?: readonly { readonly open: string; readonly close: string }[];
  /**
   * `accepts` and `read` receive the text from the opener on, and no opener is taken before.
   * @default false
   */
  readonly readsOpener?: boolean;
  /**
   * The format is that of another family, which the text may only mention: its closers count only after its calls.
   * @default false
   */
  readonly isDetected?: boolean;
  /** The `openers` and `prefixes` that also end unclosed reasoning. */
  readonly reasoningEnders?: readonly string[];
  /** Replaces calls of undeclared tools by text. */
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
  /**
   * Returns true if a call may be replaced whose input starts like this. If undeclared calls are text, only calls that may
   * be replaced are buffered.
   *
   * @param start The input that has arrived, at most 512 characters.
   */
  mayReplace(start: string): boolean;
  /** Returns the text that replaces a complete call, on separate lines, or undefined to emit the call's text. */
  replace(call: { name: string; input: string }): string | undefined;
}

/**
 * The meaning of a complete call of a tool that the request does not declare.
 *
 * - `call`: it is a call, which the host answers with an error. Without a marker, or with an impossible name, it is text.
 * - `text`: it is emitted as text while it arrives.
 * - `drop`: nothing is emitted.
 */
export type UndeclaredPolicy = 'call' | 'text' | 'drop';

/** Receives the calls that a format reads. */
export interface TextCalls {
  /** Returns the markers that end the calls of the format. */
  closers(): readonly string[];
  /** Returns a declared tool, as `begin` would find it. */
  find(name: string): DeclaredTool | undefined;
  /** Returns true if this is a declared tool, as `begin` would find it. */
  isDeclared(name: string): boolean;
  /** Returns true if the name of a declared tool starts with this text, or is meant by it. */
  isNameStart(text: string): boolean;
  /**
   * Starts a call. Nothing is emitted yet.
   *
   * @returns the tool, or undefined if no tool with this name is declared. The call must still be read.
   */
  begin(name: string, options?: { id?: string | undefined }): DeclaredTool | undefined;
  /** Emits the next chunk of the call's JSON arguments. It cannot be retracted. */
  input(text: string): void;
  /**
   * Completes the call. A call without any `input` has no arguments. If the text ends without the marker that ends the
   * call, the call is unclosed: it counts only if the response finishes normally.
   */
  end(options?: { isUnclosed?: boolean }): void;
  /** Drops the text that was taken since the start or the last call, because it is the markup of a message. */
  drop(): void;
  /** Emits text that is part of the markup, such as that of a message. The markup itself must be dropped. */
  text(text: string): void;
  /** Starts the text of a message, with a separator from the one before. */
  startText(separator: string): void;
  /** Emits reasoning that is part of the markup. The text itself must be dropped. */
  reasoning(text: string): void;
}

/** A function tool of the request. */
export interface DeclaredTool {
  readonly name: string;
  /** The JSON Schema of its arguments. */
  readonly schema: JSONSchema7;
}

export type DeclaredTools = ReadonlyMap<string, DeclaredTool>;

/** Returns the function tools that a request allows: all of them, or the one that it requires. */
export const toDeclaredTools = (
  call: Pick<CoreCall, 'tools'> & { toolChoice?: CoreCall['toolChoice'] },
): DeclaredTools =>
  new Map(
    (call.tools ?? []).flatMap(tool =>
      tool.type === 'function' && (call.toolChoice?.type !== 'tool' || call.toolChoice.toolName === tool.name)
        ? [[tool.name, { name: tool.name, schema: tool.inputSchema }]]
        : [],
    ),
  );

/**
 * Returns true if a request does not allow the calls that its model can make: with `toolChoice: 'none'`, and without
 * tools in a conversation that has calls.
 */
export const forbidsCalls = (call: Pick<CoreCall, 'tools' | 'toolChoice' | 'prompt'>): boolean =>
  (call.tools ?? []).length === 0
    ? call.prompt.some(message => message.role === 'tool')
    : call.toolChoice?.type === 'none';

/** The syntax of a model's responses. */
export interface TextSyntax {
  readonly formats: readonly TextToolFormat[];
  readonly reasoning: readonly ReasoningTags[];
  /** The start of a response is reasoning. */
  readonly startsInReasoning: boolean;
  /** Text outside of messages is dropped. */
  readonly dropsText: boolean;
}

/** A pair of tags around reasoning. */
export interface ReasoningTags {
  readonly open: string;
  readonly close: string;
  /**
   * The opening tag is a special token and counts anywhere. Other tags count only before text, which may mention them.
   * @default false
   */
  readonly isAnywhere?: boolean;
  /**
   * A word on the line of the opening tag is its name, not reasoning.
   * @default false
   */
  readonly hasName?: boolean;
}

/** The tags of most reasoning models. */
export const thinkTags: ReasoningTags = { open: '<think>', close: '</think>' };
