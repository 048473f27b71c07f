import { type ReactNode, useMemo, useState } from 'react';
import { type SchemaField, toFields, toValue } from '../lib/schema-form.js';
import { Field } from './field.js';

export interface SchemaFormProps {
  readonly schema: unknown;
  readonly submitTitle: string;
  readonly isBusy?: boolean;
  readonly onSubmit: (value: Readonly<Record<string, unknown>>) => void;
  /** Further buttons. */
  readonly children?: ReactNode;
}

/** A form with a control for each property of a JSON Schema. */
export function SchemaForm({ schema, submitTitle, isBusy = false, onSubmit, children }: SchemaFormProps) {
  const fields = useMemo(() => toFields(schema), [schema]);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map(({ name, initial }) => [name, initial])),
  );
  const [problem, setProblem] = useState<string>();
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
      {fields.map(field => (
        <Field
          key={field.name}
          label={field.isRequired ? `${field.title} (required)` : field.title}
          hint={field.description}
        >
          {props => (
            <FieldControl
              props={props}
              field={field}
              text={texts[field.name] ?? ''}
              onChange={text => setTexts({ ...texts, [field.name]: text })}
            />
          )}
        </Field>
      ))}
      {problem !== undefined && (
        <p className="note problem" role="alert">
          {problem}
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
      inputMode={kind === 'number' ? 'decimal' : undefined}
      onChange={event => onChange(event.target.value)}
    />
  );
}
