import { useMemo, useRef } from 'react';
import { useShortcuts } from '../hooks/use-shortcuts.js';
import { type ThreadHook, useThread } from '../hooks/use-thread.js';
import { useFullTrace } from '../hooks/use-full-trace.js';
import { ConnectionNote } from './conversation-view.js';
import { Composer } from './composer.js';
import type { ConversationProps } from './conversation-props.js';
import { EmptyState } from './empty-state.js';
import { ThreadView } from './thread-view.js';
import { Toolbar } from './toolbar.js';
import type { Trace } from '../../shared/trace.js';
import { compareTraces, diffJson } from '../lib/trace-comparison.js';
import { formatNumberOf } from '../lib/format.js';
import { describeStreamProblem } from '../lib/stream-problem.js';

const titles = { kelivo: 'Kelivo', official: 'Official' } as const;

/** The same questions to both providers, side by side. */
export function CompareConversation(props: ConversationProps) {
  const { conversationId, page, onSelect, draftText } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const modelId = page.state?.settings.modelId ?? '';
  const kelivo = useThread(page, { conversationId, thread: 'left', side: { flag: 'kelivo', modelId } });
  const official = useThread(page, { conversationId, thread: 'right', side: { flag: 'official', modelId } });
  const both = [kelivo, official];

  const ask = (text: string): void => {
    onSelect(undefined);
    for (const thread of both) thread.ask({ text, files: [] });
    field.current?.focus();
  };
  const stop = (): void => both.filter(thread => thread.isRunning).forEach(thread => thread.stop());
  useShortcuts({ onFocus: () => field.current?.focus(), onStop: stop });
  return (
    <main className="conversation">
      <Toolbar conversationId={conversationId} isEmpty={kelivo.messages.length === 0}>
        <p className="toolbar-title">Side by side</p>
      </Toolbar>
      <ConnectionNote connection={page.connection} />
      {kelivo.messages.length === 0 ? (
        <EmptyState onAsk={ask} filesFolder={page.state?.filesFolder} isCompared />
      ) : (
        <>
          <div className="side-by-side">
            <section aria-label={titles.kelivo}>
              <h2>{titles.kelivo}</h2>
              <ThreadView thread={kelivo} label={`Responses of ${titles.kelivo}`} {...props} />
            </section>
            <section aria-label={titles.official}>
              <h2>{titles.official}</h2>
              <ThreadView thread={official} label={`Responses of ${titles.official}`} {...props} />
            </section>
          </div>
          <LastComparison kelivo={kelivo} official={official} {...props} />
        </>
      )}
      <Composer
        ref={field}
        initialText={draftText}
        isRunning={both.some(thread => thread.isRunning)}
        onSend={ask}
        onStop={stop}
        modelId={page.state?.settings.modelId}
      />
    </main>
  );
}

const lastResponse = ({ messages }: ThreadHook) =>
  messages.findLast(({ message }) => message.role === 'assistant');

function LastComparison({
  kelivo,
  official,
  conversationId,
  page: { turns },
}: Pick<ConversationProps, 'conversationId' | 'page'> & { kelivo: ThreadHook; official: ThreadHook }) {
  const first = useFullTrace(conversationId, lastResponse(kelivo), turns);
  const second = useFullTrace(conversationId, lastResponse(official), turns);
  return <ComparisonTable kelivo={first?.trace} official={second?.trace} />;
}

/** Compares the last responses of both providers. */
function ComparisonTable({ kelivo, official }: { kelivo: Trace | undefined; official: Trace | undefined }) {
  if (kelivo === undefined || official === undefined) return null;
  return (
    <div className="comparison" tabIndex={0} role="region" aria-label="Comparison of the last responses">
      <table>
        <thead>
          <tr>
            <th scope="col">Last response</th>
            <th scope="col">Kelivo</th>
            <th scope="col">Official</th>
          </tr>
        </thead>
        <tbody>
          {compareTraces(kelivo, official).map(({ title, values, isDifferent }) => (
            <tr key={title} data-different={isDifferent}>
              <th scope="row">{title}</th>
              {values.map((value, index) => (
                <td key={index}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {[kelivo, official].flatMap(({ problems }, index) =>
        problems.map((problem, place) => (
          <p key={`${index} ${place}`} className="note warning">
            {index === 0 ? titles.kelivo : titles.official}: {describeStreamProblem(problem)}
          </p>
        )),
      )}
      <RequestDifferences
        kelivo={kelivo.exchanges[0]?.request.body}
        official={official.exchanges[0]?.request.body}
      />
    </div>
  );
}

/** Maximum number of displayed differences. */
const MAX_DIFFERENCES = 50;

function RequestDifferences({ kelivo, official }: { kelivo: unknown; official: unknown }) {
  const differences = useMemo(() => diffJson(kelivo, official), [kelivo, official]);
  if (differences.length === 0) return <p className="quiet">Both providers sent the same first request.</p>;
  return (
    <details>
      <summary>{formatNumberOf(differences.length, 'difference')} in the first request</summary>
      <table>
        <tbody>
          {differences.slice(0, MAX_DIFFERENCES).map(({ path, first, second }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td>
                <code>{toText(first)}</code>
              </td>
              <td>
                <code>{toText(second)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {differences.length > MAX_DIFFERENCES && (
        <p className="quiet">and {differences.length - MAX_DIFFERENCES} more</p>
      )}
    </details>
  );
}

const toText = (value: unknown): string => JSON.stringify(value)?.slice(0, 200) ?? '–';
