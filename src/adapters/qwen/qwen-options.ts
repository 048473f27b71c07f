/** What `qwenMiddleware` does. What it changes is changed in the request, never in the caller's history. */
export interface QwenOptions {
  /**
   * Finds the calls and thoughts that come as text.
   * @default true
   */
  textCalls?: boolean;
  /**
   * Whether answers begin within thoughts, so that only `</think>` comes: the chat templates of models that always
   * think open `<think>` in the prompt. An answer that never comes out of its thoughts, and was not cut, is given once
   * more as text.
   * @default true for QwQ and for models with `thinking` in their name
   */
  startsInReasoning?: boolean;
  /**
   * Shows a file that a call of an undeclared tool was to write as fenced code, in place of the markup around it.
   * @default true
   */
  fenceContent?: boolean;
  /**
   * Removes examples of calls from system messages, such as `[tool_call: …]` in the prompts of coding agents: the model
   * takes them for a form to answer in. A prompt that lists tools in `<tools>` of its own is left as it is.
   * @default true
   */
  cleanSystem?: boolean;
  /**
   * Whether tools are offered, too, when the model is asked to go on after the result of one. Some servers make it call
   * without end.
   * @default true
   */
  toolsAfterResult?: boolean;
}
