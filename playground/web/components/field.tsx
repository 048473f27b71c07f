import { type InputHTMLAttributes, type ReactNode, useEffect, useId, useState } from 'react';

export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly problem?: string;
  /** Draws the control, which takes the id that the label points to. */
  readonly children: (props: { id: string; 'aria-describedby': string | undefined }) => ReactNode;
}

/** A control with its label, a hint and what is wrong with it. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const describedBy = hint === undefined && problem === undefined ? undefined : `${id}-hint`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': describedBy })}
      {describedBy !== undefined && (
        <p className={problem === undefined ? 'hint' : 'hint problem'} id={describedBy} aria-live="polite">
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}

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
