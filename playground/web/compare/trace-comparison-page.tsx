import { Missing } from '../page/missing.js';
import { paths, toLink, useQueryValue } from '../page/routes.js';
import type { PageHook } from '../page/use-page.js';
import { Loading, LoadingFailed } from '../ui/list-state.js';
import { type StoredTrace, useStoredTrace } from '../traces/use-stored-trace.js';
import { ComparisonTable } from './comparison-table.js';

/** The difference of the two turns in the query of the address. */
export function TraceComparisonPage({ page: { state } }: { page: Pick<PageHook, 'state'> }) {
  const [a] = useQueryValue('a');
  const [b] = useQueryValue('b');
  const first = useStoredTrace(a);
  const second = useStoredTrace(b);
  const problem = first.problem ?? second.problem;
  const retry = (): void =>
    [first, second].filter(one => one.problem !== undefined).forEach(one => one.retry());
  if (first.isMissing || second.isMissing) {
    return (
      <main className="content">
        <Missing title="There is no such trace" path={paths.traces} link="All traces">
          The address names two turns. No turn has the id {first.isMissing ? a : b}.
        </Missing>
      </main>
    );
  }
  return (
    <main className="content trace-comparison">
      <nav aria-label="Place">
        <a {...toLink(paths.traces)}>All traces</a>
      </nav>
      <h2>Comparison of two turns</h2>
      {first.stored === undefined || second.stored === undefined ? (
        problem === undefined ? (
          <Loading what="the traces" />
        ) : (
          <LoadingFailed onRetry={retry}>The traces were not loaded: {problem}</LoadingFailed>
        )
      ) : (
        <>
          <p>
            <a {...toLink(paths.trace(a))}>First: {first.stored.title}</a> ·{' '}
            <a {...toLink(paths.trace(b))}>Second: {second.stored.title}</a>
          </p>
          <ComparisonTable
            label="Comparison of two turns"
            heading="Turn"
            isOpen
            traces={[first.stored.trace, second.stored.trace]}
            titles={toTitles(first.stored, second.stored)}
            prices={state?.prices ?? {}}
          />
        </>
      )}
    </main>
  );
}

/** Names what differs: providers or models, or else the order. */
function toTitles({ trace: first }: StoredTrace, { trace: second }: StoredTrace): readonly [string, string] {
  if (first.flag !== second.flag) return [first.flag ?? 'First', second.flag ?? 'Second'];
  if (first.modelId !== second.modelId) return [first.modelId ?? 'First', second.modelId ?? 'Second'];
  return ['First', 'Second'];
}
