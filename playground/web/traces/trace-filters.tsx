import { modelsOf, type TraceFilter, type TraceSummary } from '../../shared/trace-summary.js';
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
  return {
    filter: {
      text,
      outcome: outcomes.find(([value]) => value === outcome)?.[0] ?? 'all',
      minDuration: Number(minDuration) || 0,
      minTokens: Number(minTokens) || 0,
      toolName,
      modelId,
    },
    change: {
      text: setText,
      outcome: value => setOutcome(value === 'all' ? '' : value),
      minDuration: setMinDuration,
      minTokens: setMinTokens,
      toolName: setToolName,
      modelId: setModelId,
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

export function TraceFilters({ traces, filter, change }: Filters & { traces: readonly TraceSummary[] }) {
  const unique = (names: readonly string[]) =>
    [...new Set(names)].toSorted().map(name => [name, name] as const);
  const choices = [
    ['outcome', 'Result', outcomes],
    ['modelId', 'Model', [['', 'Any'], ...unique(traces.flatMap(modelsOf))]],
    [
      'toolName',
      'Called tool',
      [['', 'Any or none'], ...unique(traces.flatMap(({ tools }) => tools.map(({ toolName }) => toolName)))],
    ],
  ] as const;
  const numbers = [
    ['minDuration', 'Milliseconds, at least'],
    ['minTokens', 'Tokens, at least'],
  ] as const;
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
              value={filter[name]}
              choices={options.map(([value, title]) => ({ value, title }))}
              onChange={change[name]}
            />
          )}
        </Field>
      ))}
      {numbers.map(([name, label]) => (
        <Field key={name} label={label}>
          {props => (
            <input
              {...props}
              className="input"
              type="number"
              min={0}
              value={filter[name] || ''}
              onChange={event => change[name](event.target.value)}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
