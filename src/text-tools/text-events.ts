/** What a text is found to say, in its order. */
export interface TextEvents {
  text(text: string): void;
  reasoning(text: string): void;
  callStart(call: { name: string; id: string | undefined }): void;
  callInput(text: string): void;
  callEnd(): void;
  /** The call that started turned out to be none. Its text follows. */
  callLost(): void;
}
