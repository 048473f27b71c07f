/** What `mistralMiddleware` does. What it changes is changed in the request, never in the caller's history. */
export interface MistralOptions {
  /**
   * Shows calls under ids of nine letters and digits, and gives the caller its own ids back.
   * @default true
   */
  callIds?: boolean;
  /**
   * Finds the calls and thoughts that come as text, behind `[TOOL_CALLS]` and in `[THINK]`.
   * @default true
   */
  textCalls?: boolean;
  /**
   * Gives each call exactly one result: one that was interrupted says so, a result without a call gets one, a second
   * result is left out, ids that occur twice are told apart, and calls that another provider ran are calls like others.
   * @default true
   */
  pairCalls?: boolean;
  /**
   * What the assistant says between the results of tools and a message of the user, which must not follow each other;
   * `false` to say nothing.
   * @default 'Understood.'
   */
  bridge?: string | false;
  /**
   * Moves system messages that follow the assistant or a tool behind those the conversation begins with.
   * @default true
   */
  moveSystem?: boolean;
  /**
   * Leaves out messages of the assistant that neither say nor call anything.
   * @default true
   */
  dropEmpty?: boolean;
  /**
   * Joins messages of the user, or of the assistant, that follow each other: templates of Ministral and older models
   * want the two to alternate.
   * @default true
   */
  mergeNeighbours?: boolean;
  /**
   * What the user says after a conversation that ends with the assistant, which is refused otherwise; `false` to say
   * nothing. Where the last message goes out with `prefix: true`, the model goes on with it and nothing is said: models
   * of `@ai-sdk/mistral` always do, others with `providerOptions: { openaiCompatible: { prefix: true } }`.
   * @default 'Continue.'
   */
  continuation?: string | false;
  /**
   * Puts what the assistant says before its calls into a message of its own. Tokenizers up to v3 refuse text and calls
   * in one message.
   * @default false
   */
  splitTextFromCalls?: boolean;
}
