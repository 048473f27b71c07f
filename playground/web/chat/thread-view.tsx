import { useMemo, useRef } from 'react';
import { useStickToBottom } from 'use-stick-to-bottom';
import type { PageHook } from '../page/use-page.js';
import type { ThreadHook } from './use-thread.js';
import { Icon } from '../ui/icon.js';
import { MessageView } from './message-view.js';
import type { MessageActions } from './user-message.js';

const noPrices = {};
const noRequests: readonly never[] = [];

export interface ThreadViewProps {
  readonly thread: ThreadHook;
  readonly label: string;
  readonly page: Pick<PageHook, 'state' | 'servers' | 'conversation'>;
  readonly selected: string | undefined;
  readonly onInspect: (messageId: string) => void;
}

/** The messages of a thread. The view follows new content at the end. */
export function ThreadView({ thread, label, page, selected, onInspect }: ThreadViewProps) {
  const { messages, isRunning, problem } = thread;
  const { scrollRef, contentRef } = useStickToBottom({ initial: 'instant', resize: 'instant' });
  const latest = useRef(thread);
  latest.current = thread;
  // Stable functions, so that messages are rendered again only if they have changed.
  const actions = useMemo(
    (): MessageActions => ({
      show: messageId => latest.current.show(messageId),
      edit: (messageId, content) => latest.current.edit(messageId, content),
      askAgain: messageId => latest.current.askAgain(messageId),
    }),
    [],
  );
  const last = messages.at(-1);
  const isWaiting = isRunning && last?.message.role === 'user';
  const end = last?.trace?.end?.end;
  const again = end === 'failed' ? 'Try again' : last?.message.role === 'user' ? 'Ask again' : 'Regenerate';
  return (
    <div className="thread" role="log" aria-label={label} aria-busy={isRunning} tabIndex={0} ref={scrollRef}>
      <div className="thread-content" ref={contentRef}>
        {messages.map(shown => (
          <MessageView
            key={shown.message.id}
            shown={shown}
            isSelected={shown.message.id === selected}
            onInspect={onInspect}
            canChange={!isRunning}
            prices={page.state?.prices ?? noPrices}
            requests={shown.isRunning ? (page.servers?.requests ?? noRequests) : noRequests}
            place={shown.isRunning ? page.conversation?.title : undefined}
            actions={actions}
          />
        ))}
        {isWaiting && (
          <p className="waiting" role="status">
            Waiting for the model{' '}
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
            {end === 'limit' && (
              <button type="button" className="button" onClick={thread.proceed}>
                Continue
              </button>
            )}
            <button
              type="button"
              className={end === 'failed' ? 'button' : 'button subtle'}
              onClick={() => thread.askAgain()}
            >
              <Icon name="again" /> {again}
            </button>
          </div>
        )}
      </div>
    </div>
  );
}
