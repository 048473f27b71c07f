import type { ArgumentWriter, ValueWriter } from '../values/argument-writer.js';
import type { ParameterTag } from './tag-grammar.js';

/** The start of a parameter within a value. */
interface OpenTag {
  /**
   * - `literal`: part of the value.
   * - `parameter`: it may start the next parameter. The value before it was not closed, or closed by a tag that may be text.
   * - `repeated`: the tag of the parameter itself, written twice.
   */
  readonly kind: 'literal' | 'parameter' | 'repeated';
  readonly parameter?: ParameterTag;
  /** Text mentions the tag. */
  readonly isMention?: boolean;
  /** The position in the buffer where the previous value ends. */
  readonly end: number;
  /** The position in the buffer after the tag. */
  readonly start: number;
  /** The value before the tag was closed. */
  readonly isAfterEnd: boolean;
  /** If the tag starts a parameter, a tag in the value before it is open. */
  readonly leavesOpen?: boolean;
}

/**
 * Writes a value, and the parameter tags within it. From a tag that may start the next parameter on, text is buffered
 * until it is certain whether the tag is a parameter or part of the value.
 */
export class ValueBuffer {
  private readonly value: ValueWriter;
  private readonly tags: OpenTag[] = [];
  private readonly openKeys = new Set<string>();
  /** The text from the first possible parameter on. */
  private buffer = '';
  /** The white space at the end of the text before. */
  private space = '';
  /** True until the value contains more than white space. */
  isBlank = true;

  constructor(
    private readonly argumentWriter: ArgumentWriter,
    parameter: ParameterTag,
  ) {
    this.value = argumentWriter.open(parameter.key, parameter);
  }

  /** The innermost tag that has not been closed. */
  get innermost(): OpenTag | undefined {
    return this.tags.at(-1);
  }

  /** The number of tags that have not been closed. */
  get openTags(): number {
    return this.tags.length;
  }

  /** True if all tags that have not been closed are mentioned in the text. */
  get hasOnlyMentions(): boolean {
    return this.tags.every(tag => tag.isMention === true);
  }

  /** True if a tag in the value is open that may be a real one. */
  get hasStrayStart(): boolean {
    return this.tags.some(
      tag => tag.leavesOpen === true || (tag.kind === 'literal' && tag.isMention !== true),
    );
  }

  /** Returns true if an open tag may start the parameter with this key. */
  hasOpen(key: string): boolean {
    return this.openKeys.has(key);
  }

  write(text: string): void {
    this.isBlank &&= text.trim() === '';
    if (this.buffer !== '') {
      this.buffer += text;
      return;
    }
    // White space at the end may belong to the next tag.
    const trimmed = text.trimEnd();
    if (trimmed !== '') this.value.push(this.space + trimmed);
    this.space = (trimmed === '' ? this.space : '') + text.slice(trimmed.length);
  }

  /** Opens a tag that is certainly text. The tag itself must be written too. */
  openLiteral(isMention: boolean): void {
    this.tags.push({ kind: 'literal', isMention, end: 0, start: 0, isAfterEnd: false });
  }

  /** Opens the tag of the parameter itself, which counts once unless the value contains its end. */
  openRepeated(tag: string): void {
    this.buffer += this.takeSpace() + tag;
    this.tags.push({ kind: 'repeated', end: 0, start: this.buffer.length, isAfterEnd: false });
  }

  /**
   * Opens a tag that may start a parameter.
   *
   * @param end Preceding end tag, if any. It is used only if the parameter tag is accepted.
   * @param leavesOpen The end tag is also that of a tag in the value, which is then open, or a wrong tag may be the end.
   */
  openParameter(parameter: ParameterTag, options: { end: string; tag: string }, leavesOpen = false): void {
    this.isBlank = false;
    this.buffer += this.takeSpace();
    const position = this.buffer.length;
    this.buffer += options.end + options.tag;
    this.tags.push({
      kind: 'parameter',
      parameter,
      end: position,
      start: this.buffer.length,
      isAfterEnd: options.end !== '',
      leavesOpen,
    });
    this.openKeys.add(parameter.key);
  }

  private takeSpace(): string {
    const { space } = this;
    this.space = '';
    return space;
  }

  /** Closes the innermost open tags as part of the value, until `count` are left. */
  closeTags(count: number): void {
    if (this.tags.length <= count) return;
    for (const { parameter } of this.tags.splice(count))
      if (parameter !== undefined) this.openKeys.delete(parameter.key);
    if (this.tags.length > 0) return;
    const { buffer } = this;
    this.buffer = '';
    if (buffer !== '') this.write(buffer);
  }

  /**
   * Ends the value, and writes the buffered parameters. White space before a tag belongs to the value only if the value
   * was closed before it.
   */
  end(isClosed: boolean): void {
    let writer = this.value;
    let from = this.tags.find(tag => tag.kind === 'repeated')?.start ?? 0;
    const endValue = (text: string, isAfterEnd: boolean) => {
      writer.push(isAfterEnd ? text : text.trimEnd());
      writer.end();
    };
    for (const { parameter, end, start, isAfterEnd } of this.tags) {
      if (parameter === undefined) continue;
      endValue(this.buffer.slice(from, end), isAfterEnd);
      writer = this.argumentWriter.open(parameter.key, parameter);
      from = start;
    }
    endValue(this.space + this.buffer.slice(from), isClosed);
  }
}

/**
 * Tracks calls that are part of a value, such as an example in a file about tool calls. A call that starts within a line
 * ends with the line; one that starts at a line's start or end may span several lines.
 */
export class NestedCalls {
  /** The number of open parameter tags before each multiline call. */
  private readonly multiline: number[] = [];
  /** The call within the line, with the number of its open parameters. */
  private inLine: { parameters: number } | undefined;
  private hasBegunInLine = false;

  get hasOpen(): boolean {
    return this.inLine !== undefined || this.multiline.length > 0;
  }

  /** True if a nested call that may span several lines is open. */
  get hasMultiline(): boolean {
    return this.multiline.length > 0;
  }

  /** Starts a call before which `tags` parameter tags are open. */
  begin(options: { isInLine: boolean; tags: number }): void {
    if (options.isInLine) {
      this.inLine ??= { parameters: 0 };
    } else {
      this.multiline.push(options.tags);
      this.hasBegunInLine = true;
    }
  }

  /** Takes the start of a parameter if it belongs to a call within the line. */
  takesParameter(): boolean {
    if (this.inLine !== undefined) this.inLine.parameters++;
    return this.inLine !== undefined;
  }

  /** Takes the end of a parameter if it belongs to a call within the line. */
  takesParameterEnd(): boolean {
    if (this.inLine === undefined || this.inLine.parameters === 0) return false;
    this.inLine.parameters--;
    return true;
  }

  /**
   * Ends a call. On a line where a multiline call started, an end without a tag before it is quoted and is ignored.
   *
   * @returns the number of parameter tags that were open before the call, if a multiline call ended.
   */
  end(options: { isAfterTag: boolean }): number | undefined {
    const isOfLine = this.inLine !== undefined;
    this.inLine = undefined;
    return isOfLine || !(options.isAfterTag || this.hasBegunInLine) ? undefined : this.multiline.pop();
  }

  endLine(): void {
    this.inLine = undefined;
    this.hasBegunInLine = false;
  }
}
