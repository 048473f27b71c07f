/** Keeps the calls that stand in a value, and are text of it. */
export interface InnerCalls {
  /** Whether one has begun and not ended. */
  readonly hasOpen: boolean;
  /** Whether one over several lines has. */
  readonly hasLong: boolean;
  /** One begins: within a line it is forgotten where the line ends. `tags` parameter tags are open before it. */
  begin(options: { isInLine: boolean; tags: number }): void;
  /** Takes a parameter tag, or the end of one, if it is of a call within the line. */
  takesParameter(): boolean;
  takesParameterEnd(): boolean;
  /**
   * The end of a call. Within a line, that of one over several lines stands behind another tag, or is in quotes.
   *
   * @returns how many parameter tags were open before the call, if one over several lines ended.
   */
  end(options: { isBehindTag: boolean }): number | undefined;
  endLine(): void;
}

export function createInnerCalls(): InnerCalls {
  /** For each of those over several lines, how many parameter tags were open before it. */
  const long: number[] = [];
  /** The call within the line, and how many of its parameters are open. */
  let inLine: { parameters: number } | undefined;
  let hasBegunInLine = false;

  return {
    get hasOpen() {
      return inLine !== undefined || long.length > 0;
    },
    get hasLong() {
      return long.length > 0;
    },
    begin({ isInLine, tags }) {
      if (isInLine) {
        inLine ??= { parameters: 0 };
      } else {
        long.push(tags);
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
    end({ isBehindTag }) {
      const isOfLine = inLine !== undefined;
      inLine = undefined;
      return isOfLine || !(isBehindTag || hasBegunInLine) ? undefined : long.pop();
    },
    endLine() {
      inLine = undefined;
      hasBegunInLine = false;
    },
  };
}
