import { useStickToEnd } from '../hooks/use-stick-to-end.js';
import type { ThreadHook } from '../hooks/use-thread.js';
import type { Traces } from '../hooks/use-traces.js';
import { Icon } from './icon.js';
import { MessageView } from './message-view.js';

export interface ThreadViewProps {
  readonly thread: ThreadHook;
  readonly label: string;
  readonly traces: Traces;
  readonly selected: string | undefined;
  readonly onInspect: (messageId: string) => void;
}

/** The messages of a thread. The view follows new content at the end. */
export function ThreadView({ thread, label, traces, selected, onInspect }: ThreadViewProps) {
  const { messages, isRunning, problem, regenerate } = thread;
  const { ref, onScroll } = useStickToEnd({ isActive: true });
  const last = messages.at(-1);
  const isWaiting = isRunning && last?.role === 'user';
  return (
    <div
      className="thread"
      role="log"
      aria-label={label}
      aria-busy={isRunning}
      tabIndex={0}
      ref={ref}
      onScroll={onScroll}
    >
      {messages.map(message => (
        <MessageView
          key={message.id}
          message={message}
          trace={traces[message.id]?.trace}
          isSelected={message.id === selected}
          isRunning={isRunning && message === last}
          onInspect={() => onInspect(message.id)}
        />
      ))}
      {isWaiting && (
        <p className="waiting" role="status">
          <span className="spinner" aria-hidden="true" /> Waiting for the model …
        </p>
      )}
      {problem !== undefined && (
        <p className="note problem" role="alert">
          {problem}
        </p>
      )}
      {!isRunning && last !== undefined && (
        <button type="button" className="button subtle" onClick={regenerate}>
          <Icon name="again" /> {last.role === 'user' ? 'Retry' : 'Regenerate'}
        </button>
      )}
    </div>
  );
}
