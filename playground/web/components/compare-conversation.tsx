import { useRef } from 'react';
import type { PlaygroundMessage } from '../../shared/playground-state.js';
import { useShortcuts } from '../hooks/use-shortcuts.js';
import { type ThreadHook, useThread } from '../hooks/use-thread.js';
import type { Traces } from '../hooks/use-traces.js';
import { ComparisonTable } from './comparison-table.js';
import { Composer } from './composer.js';
import type { ConversationProps } from './conversation-props.js';
import { EmptyState } from './empty-state.js';
import { ThreadView } from './thread-view.js';
import { Toolbar } from './toolbar.js';

const titles = { kelivo: 'Kelivo', official: 'Official' } as const;

/** The same questions to both providers, side by side. */
export function CompareConversation(props: ConversationProps) {
  const { conversation, conversationId, playground, onTrace, onFinish, draftText, traces } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const toOptions = (thread: 'kelivo' | 'official') => ({
    conversationId,
    thread,
    initialMessages: (conversation.threads[thread] ?? []).map(({ message }): PlaygroundMessage => message),
    onTrace,
    onFinish,
  });
  const kelivo = useThread(toOptions('kelivo'));
  const official = useThread(toOptions('official'));
  const both = [kelivo, official];

  const ask = (text: string): void => both.forEach(thread => thread.ask(text));
  const stop = (): void => both.filter(thread => thread.isRunning).forEach(thread => thread.stop());
  useShortcuts({ onFocus: () => field.current?.focus(), onStop: stop });
  return (
    <main className="conversation">
      <Toolbar conversationId={conversationId} isEmpty={kelivo.messages.length === 0}>
        <p className="toolbar-title">Side by side</p>
      </Toolbar>
      {kelivo.messages.length === 0 ? (
        <EmptyState onAsk={ask} filesFolder={playground.state?.filesFolder} isCompared />
      ) : (
        <>
          <div className="side-by-side">
            <section aria-label={titles.kelivo}>
              <h2>{titles.kelivo}</h2>
              <ThreadView thread={kelivo} label={`Answers of ${titles.kelivo}`} {...props} />
            </section>
            <section aria-label={titles.official}>
              <h2>{titles.official}</h2>
              <ThreadView thread={official} label={`Answers of ${titles.official}`} {...props} />
            </section>
          </div>
          <ComparisonTable kelivo={lastTrace(kelivo, traces)} official={lastTrace(official, traces)} />
        </>
      )}
      <Composer
        ref={field}
        initialText={draftText}
        isRunning={both.some(thread => thread.isRunning)}
        onSend={ask}
        onStop={stop}
        modelId={playground.state?.settings.modelId}
      />
    </main>
  );
}

function lastTrace({ messages }: ThreadHook, traces: Traces) {
  const answer = messages.findLast(({ role }) => role === 'assistant');
  return answer === undefined ? undefined : traces[answer.id]?.trace;
}
