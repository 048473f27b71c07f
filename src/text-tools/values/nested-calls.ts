/**
 * Tracks calls that are part of a value, such as an example in a file about tool calls. A call that starts within a line
 * ends with the line; one that starts at a line's start or end may span several lines.
 */
export interface NestedCalls {
  /** True if any nested call is open. */
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
