import { type ReactNode, useId } from 'react';

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
