import { type InputHTMLAttributes, type ReactNode, useEffect, useState } from 'react';
import { Field } from './field.js';

export interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onSave: (value: string) => void;
  readonly hint?: ReactNode;
  readonly problem?: string;
  readonly input?: InputHTMLAttributes<HTMLInputElement>;
}

/** A line of text that is saved when it is left, or with Enter. Escape takes the change back. */
export function TextField({ label, value, onSave, hint, problem, input }: TextFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const save = (): void => {
    if (text !== value) onSave(text);
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
            if (event.key === 'Escape') setText(value);
          }}
        />
      )}
    </Field>
  );
}
