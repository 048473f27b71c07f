import { createContext, type RefObject } from 'react';

/** An app that writes to a conversation. */
export interface WritingApp {
  /** Identifies the app, of which a tool can have several. */
  readonly id: string;
  readonly server: string;
  readonly tool: string;
}

/** Writes texts of an app to its conversation, without sending them. Both methods throw the reason if they refuse. */
export interface AppWriter {
  /** Puts a text into the empty message field. */
  draft(app: WritingApp, text: string): void;
  /** Replaces what the app adds to the next message. An empty text removes it. */
  add(app: WritingApp, text: string): void;
}

/** The writer of the conversation. Outside of a conversation there is none. */
export const AppWriterContext = createContext<RefObject<AppWriter | null> | null>(null);

/** Characters. A person must be able to read a text before it is sent. */
const MAX_TEXT = 10_000;

/** Characters that a person does not see, except line feeds, tabs, and those that join letters and choose emoji. */
const INVISIBLE = /(?!\n|\t|\u200c|\u200d|\ufe0f)[\p{Cc}\p{Cf}\p{Variation_Selector}\u2028\u2029]/gu;

/**
 * Returns the text that an app writes.
 *
 * @throws Error for other content than text, and for a long text.
 */
export function toAppText(blocks: readonly { readonly type: string }[], structured?: object): string {
  const texts = blocks.map(block => {
    if (block.type === 'text' && 'text' in block) return String(block.text);
    throw new Error(
      `The playground accepts text of apps, got content of the type ${block.type.slice(0, 50)}.`,
    );
  });
  if (structured !== undefined) texts.push(JSON.stringify(structured, null, 2));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length <= MAX_TEXT)
    return texts
      .join('\n')
      .replace(INVISIBLE, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  const [limit, got] = [MAX_TEXT, length].map(count => count.toLocaleString('en-US'));
  throw new Error(`The playground accepts at most ${limit} characters of an app, got ${got}.`);
}
