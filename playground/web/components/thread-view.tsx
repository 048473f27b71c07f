import { useRef } from 'react';
import { useStickToBottom } from 'use-stick-to-bottom';
import type { ThreadHook } from '../hooks/use-thread.js';
import { Icon } from './icon.js';
import { MessageView } from './message-view.js';

export interface ThreadViewProps {
  readonly thread: ThreadHook;
  readonly label: string;
  readonly selected: string | undefined;
  readonly onInspect: (messageId: string) => void;
}

/** The messages of a thread. The view follows new content at the end. */
export function ThreadView({ thread, label, selected, onInspect }: ThreadViewProps) {
  const { messages, isRunning, problem } = thread;
  const { scrollRef, contentRef } = useStickToBottom({ initial: 'instant', resize: 'instant' });
  const show = useRef(thread.show);
  show.current = thread.show;
  // A stable function, so that messages are rendered again only if they have changed.
  const showVersion = useRef((messageId: string): void => show.current(messageId)).current;
  const last = messages.at(-1);
  const isWaiting = isRunning && last?.message.role === 'user';
  return (
    <div className="thread" role="log" aria-label={label} aria-busy={isRunning} tabIndex={0} ref={scrollRef}>
      <div className="thread-content" ref={contentRef}>
        {messages.map(shown => (
          <MessageView
            key={shown.message.id}
            shown={shown}
            isSelected={shown.message.id === selected}
            onInspect={onInspect}
            onShow={showVersion}
          />
        ))}
        {isWaiting && (
          <p className="waiting" role="status">
            <span className="spinner" aria-hidden="true" /> Waiting for the model …
          </p>
        )}
        {problem !== undefined && (
          <div className="note problem" role="alert">
            <p>{problem}</p>
            <div className="button-row">
              <button type="button" className="button" onClick={thread.sendAgain}>
                <Icon name="again" /> Send again
              </button>
              <button type="button" className="button subtle" onClick={thread.discard}>
                Discard
              </button>
            </div>
          </div>
        )}
        {!isRunning && problem === undefined && last !== undefined && (
          <div className="button-row">
            {last.trace?.end?.end === 'limit' && (
              <button type="button" className="button" onClick={thread.proceed}>
                Continue
              </button>
            )}
            <button type="button" className="button subtle" onClick={() => thread.askAgain()}>
              <Icon name="again" /> {last.message.role === 'user' ? 'Ask again' : 'Regenerate'}
            </button>
          </div>
        )}
      </div>
    </div>
  );
}
