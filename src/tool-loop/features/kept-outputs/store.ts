/** Keeps the texts of long outputs. `createFileOutputStore()` of `kelivo-responses/journal` creates one. */
export interface ToolOutputStore {
  /**
   * Keeps a text. Rejects if it is not kept.
   *
   * @param key 64 hexadecimal digits, from which neither the owner nor the id for the model can be read.
   */
  put(key: string, text: string, owner: ToolOutputOwner): Promise<void>;
  /** Returns the text of a key. Undefined if there is none, or if it has expired. */
  get(key: string): Promise<string | undefined>;
}

/** The owner of an output. */
export interface ToolOutputOwner {
  /** `providerOptions.kelivo.scope` of the call. */
  readonly scope: string | undefined;
}
