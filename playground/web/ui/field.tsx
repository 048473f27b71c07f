import {
  type InputHTMLAttributes,
  type ReactNode,
  type TextareaHTMLAttributes,
  useEffect,
  useId,
  useState,
} from 'react';

export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly problem?: string;
  /** @default false */
  readonly isRequired?: boolean;
  /** Renders the control, whose id with `-label` is that of the label. */
  readonly children: (props: { id: string; 'aria-describedby': string | undefined }) => ReactNode;
}

/** A control with its label and a hint or an error. */
export function Field({ label, hint, problem, isRequired = false, children }: FieldProps) {
  const id = useId();
  const describedBy = hint === undefined && problem === undefined ? undefined : `${id}-hint`;
  return (
    <div className="field">
      <div className="field-head">
        <label id={`${id}-label`} htmlFor={id}>
          {label}
        </label>
        {isRequired && <span>required</span>}
      </div>
      {children({ id, 'aria-describedby': describedBy })}
      {describedBy !== undefined && (
        <p className={problem === undefined ? 'hint' : 'hint problem'} id={describedBy} aria-live="polite">
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}

export interface CodeFieldProps
  extends
    Pick<FieldProps, 'label' | 'hint' | 'problem'>,
    Pick<TextareaHTMLAttributes<HTMLTextAreaElement>, 'rows' | 'placeholder' | 'onBlur' | 'autoFocus'> {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A text with lines that do not wrap, such as JSON. */
export function CodeField({ label, hint, problem, onChange, ...area }: CodeFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {props => (
        <textarea
          {...area}
          {...props}
          className="input code-input"
          spellCheck={false}
          onChange={event => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onSave: (value: string) => void;
  readonly hint?: ReactNode;
  /** Returns the reason why a text is invalid. Invalid texts are not saved. */
  readonly check?: (value: string) => string | undefined;
  readonly input?: InputHTMLAttributes<HTMLInputElement>;
}

/** A text field that saves on blur or Enter. Escape reverts the change. */
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
