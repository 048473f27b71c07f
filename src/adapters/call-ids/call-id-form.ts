/** A tool call of a conversation, as far as its id goes. */
export interface IdentifiedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** How many calls the conversation has before it. */
  readonly index: number;
}

/** What the ids of tool calls look like that a model takes. */
export interface CallIdForm {
  isValid(call: IdentifiedCall): boolean;
  /**
   * An id that the model takes in place of another, always the same for the same call.
   *
   * @param attempt 0 at first; then one more each time the last answer was taken.
   */
  toValid(call: IdentifiedCall, attempt: number): string;
  /**
   * What it means when an answer repeats an id of the conversation: the call that has it, or a new call, where a server
   * counts its calls anew in each answer.
   * @default 'same-call'
   */
  repeated?: 'same-call' | 'new-call';
}
