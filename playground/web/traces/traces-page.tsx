import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { PriceTable } from '../../shared/playground-state.js';
import { filterTraces, type TraceFilter, type TraceSummary } from '../../shared/trace-summary.js';
import { callApi } from '../page/api.js';
import { navigate, paths, toLink, useQueryValue } from '../page/routes.js';
import type { PageHook } from '../page/use-page.js';
import { Field } from '../ui/field.js';
import { formatNumberOf } from '../ui/format.js';
import { Icon } from '../ui/icon.js';
import { Empty, Loading, LoadingFailed } from '../ui/list-state.js';
import { Select } from '../ui/select.js';
import { TraceFilters, useFilters } from './trace-filters.js';
import { Percentiles, sortTraces, TraceTable } from './trace-table.js';
import { Problem } from '../ui/problem.js';
import { describeFailure } from '../../shared/failure.js';

/** Turns that are drawn at once. A browser draws thousands of rows slowly. */
const PAGE_SIZE = 200;

const noPrices: PriceTable = {};

/** All turns of all conversations: a table with filters in the address, and the replay of a bug report. */
export function TracesPage({
  page: { conversations, state },
}: {
  page: Pick<PageHook, 'conversations' | 'state'>;
}) {
  const [traces, setTraces] = useState<readonly TraceSummary[]>();
  const [problem, setProblem] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [attempt, setAttempt] = useState(1);
  const [checked, setChecked] = useState<readonly string[]>([]);
  const [wantedStart, setStart] = useState(0);
  const filters = useFilters();
  const [sort, setSort] = useQueryValue('sort');
  const prices = state?.prices ?? noPrices;
  useEffect(() => {
    const controller = new AbortController();
    callApi<readonly TraceSummary[]>('/traces', { signal: controller.signal }).then(
      list => {
        setTraces(list);
        setFailure(undefined);
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setFailure(describeFailure(error));
      },
    );
    return () => controller.abort();
    // The list of conversations changes with every stored turn.
  }, [conversations, attempt]);
  // Typing stays fast while the rows and their percentiles follow.
  const query = useDeferredValue(JSON.stringify(filters.filter));
  const found = useMemo(
    () => sortTraces(filterTraces(traces ?? [], JSON.parse(query) as TraceFilter, prices), sort, prices),
    [traces, query, sort, prices],
  );
  // A filter can leave fewer turns.
  const start = wantedStart < found.length ? wantedStart : 0;
  const [first, second] = checked;
  return (
    <main className="content traces">
      <header className="content-head">
        <h2>Traces</h2>
        <button
          type="button"
          className="button primary"
          disabled={first === undefined || second === undefined}
          title="Select two turns of the table"
          onClick={() => navigate(paths.comparison(first ?? '', second ?? ''))}
        >
          <Icon name="compare" /> Compare
        </button>
      </header>
      <TraceFilters traces={traces ?? []} {...filters} />
      <Problem>{problem}</Problem>
      {failure !== undefined ? (
        <LoadingFailed onRetry={() => setAttempt(attempt + 1)}>
          The traces were not loaded: {failure}
        </LoadingFailed>
      ) : traces === undefined ? (
        <Loading what="traces" />
      ) : (
        <p className="quiet" role="status">
          {found.length} of {formatNumberOf(traces.length, 'turn')}
        </p>
      )}
      {traces?.length === 0 && (
        <Empty action={<a {...toLink('/chats')}>Start a chat</a>}>
          No turns yet. Each turn of a chat is listed here when it has ended, and each turn of an application
          with <code>devTools()</code> that was started with the <code>KELIVO_PLAYGROUND_URL</code> that the
          terminal shows.
        </Empty>
      )}
      {found.length > 0 && <Percentiles traces={found} prices={prices} />}
      {found.length > 0 && (
        <TraceTable
          traces={found.slice(start, start + PAGE_SIZE)}
          prices={prices}
          sort={sort}
          onSort={setSort}
          checked={checked}
          onCheck={setChecked}
        />
      )}
      {found.length > PAGE_SIZE && (
        <nav className="button-row" aria-label="Pages of traces">
          <button
            type="button"
            className="button"
            disabled={start === 0}
            onClick={() => setStart(start - PAGE_SIZE)}
          >
            Previous
          </button>
          <span className="quiet">
            {start + 1} to {Math.min(start + PAGE_SIZE, found.length)}
          </span>
          <button
            type="button"
            className="button"
            disabled={start + PAGE_SIZE >= found.length}
            onClick={() => setStart(start + PAGE_SIZE)}
          >
            Next
          </button>
        </nav>
      )}
      <ReplayField onStart={id => navigate(paths.chat(id))} onProblem={setProblem} />
    </main>
  );
}

interface ReplayFieldProps {
  readonly onStart: (conversationId: string) => void;
  readonly onProblem: (problem: string | undefined) => void;
}

/** Runs the turn of a bug report again with its recorded responses. */
function ReplayField({ onStart, onProblem }: ReplayFieldProps) {
  const [report, setReport] = useState<{ readonly turns?: readonly unknown[] }>();
  const [turn, setTurn] = useState(0);
  const read = async (file: File | undefined): Promise<void> => {
    setReport(undefined);
    setTurn(0);
    onProblem(undefined);
    if (file === undefined) return;
    try {
      setReport(JSON.parse(await file.text()) as { turns?: readonly unknown[] });
    } catch {
      onProblem(`Expected the JSON file of a bug report, got ${file.name}, which is not JSON.`);
    }
  };
  const start = async (): Promise<void> => {
    try {
      const body = { report, turn };
      onStart(
        (await callApi<{ conversationId: string }>('/traces/replay', { method: 'POST', body }))
          .conversationId,
      );
    } catch (error) {
      onProblem(describeFailure(error));
    }
  };
  const count = Array.isArray(report?.turns) ? report.turns.length : 0;
  return (
    <Field
      label="Replay a bug report"
      hint="The emulator sends the recorded responses. Each tool call waits for your approval."
    >
      {props => (
        <div className="button-row">
          <input
            {...props}
            className="input"
            type="file"
            accept="application/json,.json"
            onChange={event => void read(event.target.files?.[0])}
          />
          {count > 1 && (
            <Select
              aria-label="Turn of the report"
              value={String(turn)}
              choices={Array.from({ length: count }, (_, index) => ({
                value: String(index),
                title: `Turn ${index + 1}`,
              }))}
              onChange={index => setTurn(Number(index))}
            />
          )}
          <button
            type="button"
            className="button"
            disabled={report === undefined}
            onClick={() => void start()}
          >
            Replay
          </button>
        </div>
      )}
    </Field>
  );
}
