import { useContext, useImperativeHandle, useState } from 'react';
import { AppWriterContext, type WritingApp } from '../mcp/app-writer.js';
import { useKept } from '../page/kept-input.js';
import { formatNumberOf } from '../ui/format.js';

/** Texts of apps beside a message. */
const MAX_TEXTS = 5;

interface AppText {
  readonly app: WritingApp;
  readonly text: string;
}

/** Texts of apps for the next message. */
export interface AppTextsHook {
  /** The app that wrote the draft in the message field. */
  readonly author: WritingApp | undefined;
  readonly texts: readonly AppText[];
  /** True until the person has reacted to what an app wrote last, so that no key that was meant for something else sends it. */
  readonly isUnread: boolean;
  /** The person has written or pressed a key after the apps. */
  markRead(options?: { isEmpty?: boolean }): void;
  remove(app: WritingApp): void;
  /** Returns a message with the texts. */
  addTo(message: string): string;
  clear(): void;
}

interface AppTextsOptions {
  readonly conversationId: string;
  /** True while the message field is empty: an app never changes what a person writes. */
  readonly isFree: boolean;
  readonly onDraft: (text: string) => void;
}

/** Lets apps of the conversation write to the message field. */
export function useAppTexts({ conversationId, isFree, onDraft }: AppTextsOptions): AppTextsHook {
  // A draft survives a reload, and so does the name of who wrote it.
  const [author, setAuthor] = useKept<WritingApp | undefined>(`author ${conversationId}`, () => undefined);
  const [texts, setTexts] = useState<readonly AppText[]>([]);
  const [isUnread, setUnread] = useState(author !== undefined);
  const remove = ({ id }: WritingApp): void => setTexts(known => known.filter(({ app }) => app.id !== id));
  useImperativeHandle(useContext(AppWriterContext), () => ({
    draft(app, text) {
      if (text === '') throw new Error('Expected a message with a text, got an empty one.');
      if (!isFree) throw new Error('The person is writing a message, which apps cannot change.');
      onDraft(text);
      setAuthor(app);
      setUnread(true);
    },
    add(app, text) {
      if (text === '') return remove(app);
      const isKnown = texts.some(known => known.app.id === app.id);
      if (!isKnown && texts.length >= MAX_TEXTS)
        throw new Error('Too many apps add something to the next message.');
      remove(app);
      setTexts(known => [...known, { app, text }]);
      setUnread(true);
    },
  }));
  return {
    author,
    texts,
    isUnread,
    markRead({ isEmpty = false } = {}) {
      setUnread(false);
      if (isEmpty) setAuthor(undefined);
    },
    remove,
    addTo: message =>
      [
        message,
        ...texts.map(
          ({ app: { server, tool }, text }) =>
            `From the app of ${tool} (MCP server “${server}”), not written by me:\n${text}`,
        ),
      ].join('\n\n'),
    clear() {
      setAuthor(undefined);
      setTexts([]);
      setUnread(false);
    },
  };
}

/** Shows what apps have written for the next message, above the message field. */
export function AppTexts({ author, texts, isUnread, remove }: AppTextsHook) {
  return (
    <>
      {texts.map(({ app, text }) => (
        <section key={app.id} className="app-text" aria-label={`Text of the app of ${app.tool}`}>
          <p>
            The app of <code>{app.tool}</code> at “{app.server}” adds{' '}
            {formatNumberOf(text.length, 'character')} to your next message:
          </p>
          <button type="button" className="button subtle" onClick={() => remove(app)}>
            Remove
          </button>
          <pre tabIndex={0}>{text}</pre>
        </section>
      ))}
      {(author !== undefined || (isUnread && texts.length > 0)) && (
        <p className="note warning" role="status">
          {author !== undefined && (
            <>
              The app of <code>{author.tool}</code> at “{author.server}” wrote this draft. Nothing is sent
              until you send it.{' '}
            </>
          )}
          {isUnread && 'Read what the app wrote: the first Enter does not send it.'}
        </p>
      )}
    </>
  );
}
