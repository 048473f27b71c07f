import { type ReactNode, useMemo, useState } from 'react';
import { type SchemaField, toFields, toValue } from '../lib/schema-form.js';
import type { SchemaProblem } from '../../shared/mcp-inspection.js';
import { Field } from './field.js';

export interface SchemaFormProps {
  readonly schema: unknown;
  readonly submitTitle: string;
  readonly isBusy?: boolean;
  readonly onSubmit: (value: Readonly<Record<string, unknown>>) => void;
  /** Problems of the values that were submitted last, each shown at its field. */
  readonly problems?: readonly SchemaProblem[];
  /** Further buttons. */
  readonly children?: ReactNode;
}

/** A form with a control for each property of a JSON Schema. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, submitTitle, isBusy = false, onSubmit, problems = [], children } = props;
  const fields = useMemo(() => toFields(schema), [schema]);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map(({ name, initial }) => [name, initial])),
  );
  const [problem, setProblem] = useState<string>();
  const problemOf = (name: string): string | undefined => {
    const found = problems.filter(({ path }) => path[0] === name);
    return found.length === 0 ? undefined : found.map(toSentence).join(' ');
  };
  const others = problems.filter(({ path: [first] }) => !fields.some(({ name }) => name === first));
  const general = problem ?? (others.length === 0 ? undefined : others.map(toSentence).join(' '));
  const submit = (): void => {
    const filled = toValue(fields, texts);
    setProblem(filled.problem);
    if (filled.value !== undefined) onSubmit(filled.value);
  };
  return (
    <form
      className="schema-form"
      onSubmit={event => {
        event.preventDefault();
        submit();
      }}
    >
      {fields.map(field => {
        const onChange = (text: string): void => setTexts({ ...texts, [field.name]: text });
        const text = texts[field.name] ?? '';
        if (field.kind === 'choices')
          return (
            <Choices
              key={field.name}
              field={field}
              text={text}
              onChange={onChange}
              problem={problemOf(field.name)}
            />
          );
        return (
          <Field
            key={field.name}
            label={toLabel(field)}
            hint={field.description}
            problem={problemOf(field.name)}
          >
            {props => <FieldControl props={props} field={field} text={text} onChange={onChange} />}
          </Field>
        );
      })}
      {general !== undefined && (
        <p className="note problem" role="alert">
          {general}
        </p>
      )}
      <div className="button-row">
        <button type="submit" className="button primary" disabled={isBusy}>
          {submitTitle}
        </button>
        {children}
      </div>
    </form>
  );
}

/** Names the place inside a field. */
const toSentence = ({ path, message }: SchemaProblem): string =>
  `${path.length > 1 ? `${path.slice(1).join('.')}: ` : ''}${message}.`;

const toLabel = ({ title, isRequired }: SchemaField): string => (isRequired ? `${title} (required)` : title);

/** A checkbox for each choice. The text is a JSON array, empty if nothing was selected and nothing is required. */
function Choices({
  field,
  text,
  onChange,
  problem,
}: Omit<FieldControlProps, 'props'> & { problem: string | undefined }) {
  const selected = text === '' ? [] : (JSON.parse(text) as string[]);
  return (
    <fieldset className="field-choices">
      <legend className="label">{toLabel(field)}</legend>
      {field.description !== undefined && <p className="hint">{field.description}</p>}
      {field.choices.map(({ value, title }) => (
        <label key={value} className="switch-row">
          <input
            type="checkbox"
            checked={selected.includes(value)}
            onChange={({ target }) => {
              const chosen = new Set(selected);
              if (target.checked) chosen.add(value);
              else chosen.delete(value);
              const inOrder = field.choices.map(choice => choice.value).filter(one => chosen.has(one));
              onChange(inOrder.length === 0 && !field.isRequired ? '' : JSON.stringify(inOrder));
            }}
          />
          {title}
        </label>
      ))}
      {problem !== undefined && (
        <p className="hint problem" aria-live="polite">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

interface FieldControlProps {
  readonly props: { id: string; 'aria-describedby': string | undefined };
  readonly field: SchemaField;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function FieldControl({ props, field: { kind, choices, isRequired }, text, onChange }: FieldControlProps) {
  if (kind === 'boolean' || kind === 'choice') {
    const options = kind === 'choice' ? choices : ['true', 'false'].map(value => ({ value, title: value }));
    return (
      <select {...props} className="input" value={text} onChange={event => onChange(event.target.value)}>
        {(!isRequired || text === '') && <option value="">–</option>}
        {options.map(({ value, title }) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    );
  }
  const shared = { ...props, value: text, spellCheck: false };
  return kind === 'json' ? (
    <textarea
      {...shared}
      className="input code-input"
      rows={3}
      placeholder="JSON"
      onChange={event => onChange(event.target.value)}
    />
  ) : (
    <input
      {...shared}
      className="input"
      inputMode={kind === 'number' || kind === 'integer' ? 'decimal' : undefined}
      onChange={event => onChange(event.target.value)}
    />
  );
}
