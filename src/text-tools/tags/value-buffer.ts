import type { ArgumentWriter } from '../values/argument-writer.js';
import type { Tag } from './tag-grammar.js';

export type ParameterTag = Extract<Tag, { kind: 'parameter' }>;

/**
 * Writes a value, and the parameter tags within it. From a tag that may start the next parameter on, text is buffered
 * until it is certain whether the tag is a parameter or part of the value.
 */
export interface ValueBuffer {
  /** The number of parameter tags that have not been closed. */
  readonly openTags: number;
  /** True if the innermost open tag may start a parameter, undefined without an open tag. */
  readonly mayBeParameter: boolean | undefined;
  /** Returns true if an open tag may start the parameter with this key. */
  hasOpen(key: string): boolean;
  write(text: string): void;
  /** Opens a tag that is certainly text. The tag itself must be written too. */
  openText(): void;
  /**
   * Opens a tag that may start a parameter.
   *
   * @param end Preceding end tag, if any. It is used only if the parameter tag is accepted.
   */
  openParameter(parameter: ParameterTag, texts: { end: string; tag: string }): void;
  /** Closes the innermost open tags as part of the value, until `count` are left. */
  closeTags(count: number): void;
  /** Ends the value, and writes the buffered parameters. */
  end(): void;
}

interface BufferedParameter {
  readonly parameter: ParameterTag;
  /** The position in the buffer where the previous value ends. */
  readonly end: number;
  /** The position in the buffer where the parameter's value starts. */
  readonly start: number;
}

export function createValueBuffer(argumentWriter: ArgumentWriter, parameter: ParameterTag): ValueBuffer {
  const value = argumentWriter.open(parameter.key, parameter);
  /** The open tags, with their parameter if they may start one. */
  const tags: (BufferedParameter | 'text')[] = [];
  const openKeys = new Set<string>();
  /** The text from the first possible parameter on. */
  let buffer = '';

  return {
    get openTags() {
      return tags.length;
    },
    get mayBeParameter() {
      const innermost = tags.at(-1);
      return innermost && innermost !== 'text';
    },
    hasOpen: key => openKeys.has(key),
    write(text) {
      if (buffer === '') value.push(text);
      else buffer += text;
    },
    openText() {
      tags.push('text');
    },
    openParameter(parameter, { end, tag }) {
      const position = buffer.length;
      buffer += end + tag;
      tags.push({ parameter, end: position, start: buffer.length });
      openKeys.add(parameter.key);
    },
    closeTags(count) {
      if (tags.length <= count) return;
      for (const tag of tags.splice(count)) if (tag !== 'text') openKeys.delete(tag.parameter.key);
      if (tags.length > 0) return;
      value.push(buffer);
      buffer = '';
    },
    end() {
      const parameters = tags.filter(tag => tag !== 'text');
      value.push(buffer.slice(0, parameters[0]?.end));
      value.end();
      for (const [index, { parameter, start }] of parameters.entries()) {
        const next = argumentWriter.open(parameter.key, parameter);
        next.push(buffer.slice(start, parameters[index + 1]?.end));
        next.end();
      }
    },
  };
}

/**
 * Tracks calls that are part of a value, such as an example in a file about tool calls. A call that starts within a line
 * ends with the line; one that starts at a line's start or end may span several lines.
 */
export interface NestedCalls {
  readonly hasOpen: boolean;
  /** True if a nested call that may span several lines is open. */
  readonly hasMultiline: boolean;
  /** Starts a call before which `tags` parameter tags are open. */
  begin(options: { isInLine: boolean; tags: number }): void;
  /** Takes the start of a parameter if it belongs to a call within the line. */
  takesParameter(): boolean;
  /** Takes the end of a parameter if it belongs to a call within the line. */
  takesParameterEnd(): boolean;
  /**
   * Ends a call. On a line where a multiline call started, an end without a tag before it is quoted and is ignored.
   *
   * @returns the number of parameter tags that were open before the call, if a multiline call ended.
   */
  end(options: { isAfterTag: boolean }): number | undefined;
  endLine(): void;
}

export function createNestedCalls(): NestedCalls {
  /** The number of open parameter tags before each multiline call. */
  const multiline: number[] = [];
  /** The call within the line, with the number of its open parameters. */
  let inLine: { parameters: number } | undefined;
  let hasBegunInLine = false;

  return {
    get hasOpen() {
      return inLine !== undefined || multiline.length > 0;
    },
    get hasMultiline() {
      return multiline.length > 0;
    },
    begin({ isInLine, tags }) {
      if (isInLine) {
        inLine ??= { parameters: 0 };
      } else {
        multiline.push(tags);
        hasBegunInLine = true;
      }
    },
    takesParameter() {
      if (inLine !== undefined) inLine.parameters++;
      return inLine !== undefined;
    },
    takesParameterEnd() {
      if (inLine === undefined || inLine.parameters === 0) return false;
      inLine.parameters--;
      return true;
    },
    end({ isAfterTag }) {
      const isOfLine = inLine !== undefined;
      inLine = undefined;
      return isOfLine || !(isAfterTag || hasBegunInLine) ? undefined : multiline.pop();
    },
    endLine() {
      inLine = undefined;
      hasBegunInLine = false;
    },
  };
}
