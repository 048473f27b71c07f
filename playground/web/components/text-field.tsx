import { type InputHTMLAttributes, type ReactNode, useEffect, useState } from 'react';
import { Field } from './field.js';

export interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onSave: (value: string) => void;
  readonly hint?: ReactNode;
  /** What is wrong with a text, if anything: it is not saved then. */
  readonly check?: (value: string) => string | undefined;
  readonly input?: InputHTMLAttributes<HTMLInputElement>;
}

/** A line of text that is saved when it is left, or with Enter. Escape takes the change back. */
export function TextField({ label, value, onSave, hint, check, input }: TextFieldProps) {
  const [text, setText] = useState(value);
  const [problem, setProblem] = useState<string>();
  useEffect(() => setText(value), [value]);
  const save = (): void => {
    if (text === value) return setProblem(undefined);
    const found = check?.(text);
    setProblem(found);
    if (found === undefined) onSave(text);
  };
  return (
    <Field label={label} hint={hint} problem={problem}>
      {props => (
        <input
          {...input}
          {...props}
          className="input"
          value={text}
          spellCheck={false}
          onChange={event => setText(event.target.value)}
          onBlur={save}
          onKeyDown={event => {
            if (event.key === 'Enter') save();
            if (event.key !== 'Escape') return;
            setText(value);
            setProblem(undefined);
          }}
        />
      )}
    </Field>
  );
}
