import { useMemo } from 'react';
import { modelsOf, PLAYGROUND, type TraceFilter, type TraceSummary } from '../../shared/trace-summary.js';
import { useQueryValue } from '../page/routes.js';
import { Field } from '../ui/field.js';
import { Select } from '../ui/select.js';

interface Filters {
  readonly filter: TraceFilter;
  readonly change: Readonly<Record<keyof TraceFilter, (value: string) => void>>;
}

/** The filters in the query of the address. */
export function useFilters(): Filters {
  const [text, setText] = useQueryValue('q');
  const [outcome, setOutcome] = useQueryValue('result');
  const [minDuration, setMinDuration] = useQueryValue('duration');
  const [minTokens, setMinTokens] = useQueryValue('tokens');
  const [toolName, setToolName] = useQueryValue('tool');
  const [modelId, setModelId] = useQueryValue('model');
  const [minCost, setMinCost] = useQueryValue('cost');
  const [age, setAge] = useQueryValue('age');
  const [app, setApp] = useQueryValue('app');
  return {
    filter: {
      text,
      outcome: outcomes.find(([value]) => value === outcome)?.[0] ?? 'all',
      minDuration: Number(minDuration) || 0,
      minTokens: Number(minTokens) || 0,
      minCost: Number(minCost) || 0,
      maxAge: Number(ages.find(([value]) => value === age)?.[0]) || 0,
      toolName,
      modelId,
      app,
    },
    change: {
      text: setText,
      outcome: value => setOutcome(value === 'all' ? '' : value),
      minDuration: setMinDuration,
      minTokens: setMinTokens,
      minCost: setMinCost,
      maxAge: setAge,
      toolName: setToolName,
      modelId: setModelId,
      app: setApp,
    },
  };
}

const outcomes: readonly (readonly [TraceFilter['outcome'], string])[] = [
  ['all', 'All'],
  ['error', 'With errors'],
  ['finished', 'Finished'],
  ['limit', 'Limit reached'],
  ['stopped', 'Stopped'],
  ['failed', 'Failed'],
  ['aborted', 'Aborted'],
];

const HOUR = 3_600_000;

const ages = [
  ['', 'All'],
  [String(HOUR), 'Last hour'],
  [String(24 * HOUR), 'Last day'],
  [String(7 * 24 * HOUR), 'Last week'],
] as const;

const numbers = [
  ['minDuration', 'Milliseconds, at least', 1],
  ['minTokens', 'Tokens, at least', 1],
  ['minCost', 'US dollars, at least', 'any'],
] as const;

export function TraceFilters({ traces, filter, change }: Filters & { traces: readonly TraceSummary[] }) {
  const choices = useMemo(() => {
    const unique = (names: readonly string[]) =>
      [...new Set(names)].toSorted().map(name => [name, name] as const);
    const apps = unique(traces.flatMap(({ app }) => app?.name ?? []));
    return [
      ['outcome', 'Result', outcomes],
      ['app', 'Application', [['', 'Any'], [PLAYGROUND, 'The playground'], ...apps]],
      ['modelId', 'Model', [['', 'Any'], ...unique(traces.flatMap(modelsOf))]],
      [
        'toolName',
        'Called tool',
        [['', 'Any or none'], ...unique(traces.flatMap(({ tools }) => tools.map(tool => tool.toolName)))],
      ],
      ['maxAge', 'Started', ages],
    ] as const;
  }, [traces]);
  const count = numbers.filter(([name]) => filter[name] > 0).length;
  return (
    <div className="trace-filters">
      <input
        className="input"
        type="search"
        aria-label="Search traces"
        placeholder="Search titles, models, endpoints, tools and errors"
        value={filter.text}
        onChange={event => change.text(event.target.value)}
      />
      {choices.map(([name, label, options]) => (
        <Field key={name} label={label}>
          {props => (
            <Select
              {...props}
              value={String(filter[name] || '')}
              choices={options.map(([value, title]) => ({ value, title }))}
              onChange={change[name]}
            />
          )}
        </Field>
      ))}
      <details className="parameters">
        <summary>More filters{count > 0 && ` · ${count} set`}</summary>
        <div className="trace-minimums">
          {numbers.map(([name, label, step]) => (
            <Field key={name} label={label}>
              {props => (
                <input
                  {...props}
                  className="input"
                  type="number"
                  min={0}
                  step={step}
                  value={filter[name] || ''}
                  onChange={event => change[name](event.target.value)}
                />
              )}
            </Field>
          ))}
        </div>
      </details>
    </div>
  );
}
