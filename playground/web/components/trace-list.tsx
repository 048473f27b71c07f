import { useEffect, useState } from 'react';
import { filterTraces, noFilter, type TraceFilter, type TraceSummary } from '../../shared/trace-summary.js';
import { callApi } from '../lib/api.js';
import { formatAge, formatCount, formatDuration, formatNumberOf } from '../lib/format.js';
import { Dialog } from './dialog.js';
import { Field } from './field.js';

export interface TraceListProps {
  /** The list of conversations, which changes with every stored turn. */
  readonly conversations: unknown;
  readonly onOpen: (conversationId: string, messageId?: string) => void;
  readonly onClose: () => void;
}

/** All turns of all conversations, with filters, and the replay of a bug report. */
export function TraceList({ conversations, onOpen, onClose }: TraceListProps) {
  const [traces, setTraces] = useState<readonly TraceSummary[]>();
  const [filter, setFilter] = useState<TraceFilter>(noFilter);
  const [problem, setProblem] = useState<string>();
  const fail = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
  useEffect(() => {
    const controller = new AbortController();
    callApi<readonly TraceSummary[]>('/traces', { signal: controller.signal }).then(
      setTraces,
      error => !controller.signal.aborted && fail(error),
    );
    return () => controller.abort();
  }, [conversations]);
  const found = filterTraces(traces ?? [], filter);

  /** Shows the version of the response, which may not be the shown one. */
  const open = async ({ conversationId, messageId }: TraceSummary): Promise<void> => {
    try {
      await callApi(`/conversations/${conversationId}/shown`, { method: 'PUT', body: { messageId } });
      onOpen(conversationId, messageId);
    } catch (error) {
      fail(error);
    }
  };
  return (
    <Dialog title="Traces" onClose={onClose} isWide>
      <div className="mcp-part">
        <TraceFilters traces={traces ?? []} filter={filter} onChange={setFilter} />
        <ReplayField onStart={onOpen} onProblem={setProblem} />
        {problem !== undefined && (
          <p className="note problem" role="alert">
            {problem}
          </p>
        )}
        <p className="quiet" role="status">
          {traces === undefined
            ? 'Loading traces …'
            : `${found.length} of ${formatNumberOf(traces.length, 'turn')}`}
        </p>
        <ul className="conversation-list" aria-label="Turns">
          {found.map(trace => (
            <li key={`${trace.conversationId} ${trace.messageId}`}>
              <button type="button" className="conversation-title" onClick={() => void open(trace)}>
                <span>
                  <span className="state-badge" data-state={trace.end}>
                    {trace.end}
                  </span>{' '}
                  {trace.title}
                </span>
                <small>{describeTrace(trace)}</small>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

const describeTrace = ({
  startedAt,
  flag,
  modelId,
  duration,
  tokens,
  tools,
  hasError,
  end,
}: TraceSummary): string =>
  [
    startedAt && formatAge(startedAt),
    [flag, modelId].filter(Boolean).join(' '),
    formatDuration(duration),
    tokens !== undefined && `${formatCount(tokens)} tokens`,
    ...tools.map(({ toolName, calls }) => (calls === 1 ? toolName : `${toolName} × ${calls}`)),
    hasError && end !== 'failed' && 'with errors',
  ]
    .filter(Boolean)
    .join(' · ');

interface TraceFiltersProps {
  readonly traces: readonly TraceSummary[];
  readonly filter: TraceFilter;
  readonly onChange: (filter: TraceFilter) => void;
}

const outcomes: readonly (readonly [TraceFilter['outcome'], string])[] = [
  ['all', 'All'],
  ['error', 'With errors'],
  ['finished', 'Finished'],
  ['limit', 'Limit reached'],
  ['stopped', 'Stopped'],
  ['failed', 'Failed'],
];

function TraceFilters({ traces, filter, onChange }: TraceFiltersProps) {
  const names = [...new Set(traces.flatMap(({ tools }) => tools.map(({ toolName }) => toolName)))].toSorted();
  const numbers = [
    ['minDuration', 'Milliseconds, at least'],
    ['minTokens', 'Tokens, at least'],
  ] as const;
  return (
    <>
      <input
        className="input"
        type="search"
        aria-label="Search traces"
        placeholder="Search titles, models, endpoints, tools and errors"
        value={filter.text}
        onChange={event => onChange({ ...filter, text: event.target.value })}
      />
      <div className="button-row">
        <Field label="Result">
          {props => (
            <select
              {...props}
              className="input"
              value={filter.outcome}
              onChange={event =>
                onChange({ ...filter, outcome: event.target.value as TraceFilter['outcome'] })
              }
            >
              {outcomes.map(([value, title]) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Called tool">
          {props => (
            <select
              {...props}
              className="input"
              value={filter.toolName}
              onChange={event => onChange({ ...filter, toolName: event.target.value })}
            >
              <option value="">Any or none</option>
              {names.map(name => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        {numbers.map(([name, label]) => (
          <Field key={name} label={label}>
            {props => (
              <input
                {...props}
                className="input"
                type="number"
                min={0}
                value={filter[name] || ''}
                onChange={event => onChange({ ...filter, [name]: Number(event.target.value) })}
              />
            )}
          </Field>
        ))}
      </div>
    </>
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
      onProblem(error instanceof Error ? error.message : String(error));
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
            <select
              className="input"
              aria-label="Turn of the report"
              value={turn}
              onChange={event => setTurn(Number(event.target.value))}
            >
              {Array.from({ length: count }, (_, index) => (
                <option key={index} value={index}>
                  Turn {index + 1}
                </option>
              ))}
            </select>
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
