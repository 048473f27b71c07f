import { type ReactNode, useState } from 'react';
import type { SchemaProblem } from '../../shared/mcp-inspection.js';
import { readJson } from '../ui/json-text.js';
import { Select } from '../ui/select.js';
import { type Choice, type FormNode, InvalidJson } from './form-schema.js';

export const toSentence = ({ message }: SchemaProblem): string => `${message}.`;
export const toPlacedSentence = ({ path, message }: SchemaProblem): string =>
  path.length === 0 ? `${message}.` : `${path.join('.')}: ${message}.`;

interface Control {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
}

export const BOOLEANS: readonly Choice[] = [
  { value: true, title: 'true' },
  { value: false, title: 'false' },
];

interface ChoiceControlProps {
  readonly control: Control;
  readonly choices: readonly Choice[];
  readonly value: unknown;
  readonly isRequired: boolean;
  readonly onChange: (value: unknown) => void;
}

export function ChoiceControl({ control, choices, value, isRequired, onChange }: ChoiceControlProps) {
  const index = choices.findIndex(choice => JSON.stringify(choice.value) === JSON.stringify(value));
  return (
    <Select
      {...control}
      value={String(index)}
      choices={[
        ...(!isRequired || index < 0 ? [{ value: '-1', title: '–' }] : []),
        ...choices.map(({ title }, place) => ({ value: String(place), title })),
      ]}
      onChange={place => onChange(choices[Number(place)]?.value)}
    />
  );
}

interface ValueControlProps {
  readonly control: Control;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** A text that is no number stays as it is, so that it can be corrected. The check reports it. */
export function NumberControl({ control, value, onChange }: ValueControlProps) {
  const read = (text: string): unknown => {
    if (text === '') return undefined;
    const number = text.trim() === '' ? Number.NaN : Number(text);
    return Number.isFinite(number) ? number : text;
  };
  const [typed, setTyped] = useState(value === undefined ? '' : String(value));
  // Another value comes from outside, such as a repeated call.
  const text = read(typed) === value ? typed : value === undefined ? '' : String(value);
  return (
    <input
      {...control}
      className="input"
      inputMode="decimal"
      autoComplete="off"
      value={text}
      onChange={event => {
        setTyped(event.target.value);
        onChange(read(event.target.value));
      }}
    />
  );
}

/** The editor of a value for which there is no control. */
export function JsonControl({ control, value, onChange }: ValueControlProps) {
  const [typed, setTyped] = useState(() => (value === undefined ? '' : JSON.stringify(value)));
  return (
    <textarea
      {...control}
      className="input code-input"
      rows={3}
      placeholder="JSON"
      spellCheck={false}
      value={value instanceof InvalidJson ? value.text : typed}
      onChange={({ target }) => {
        setTyped(target.value);
        const { value: parsed, problem } = readJson(target.value);
        if (target.value.trim() === '') onChange(undefined);
        else onChange(problem === undefined ? parsed : new InvalidJson(target.value));
      }}
    />
  );
}

interface GroupProps {
  readonly label: string;
  readonly node: FormNode;
  readonly problems?: readonly SchemaProblem[];
  readonly children: ReactNode;
}

/** Several controls of one value. Problems of the value itself stand below its title. */
export function Group({ label, node: { description }, problems = [], children }: GroupProps) {
  const own = problems.filter(({ path }) => path.length === 0);
  return (
    <fieldset className="field-group">
      <legend className="label">{label}</legend>
      {description !== undefined && <p className="hint">{description}</p>}
      {own.length > 0 && (
        <p className="hint problem" aria-live="polite">
          {own.map(toSentence).join(' ')}
        </p>
      )}
      {children}
    </fieldset>
  );
}
