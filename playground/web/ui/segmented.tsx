import { useId } from 'react';

export interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly title: string; readonly hint?: string }[];
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
}

/** Radio buttons that look like one segmented control. */
export function Segmented<Value extends string>({
  label,
  value,
  options,
  onChange,
  isDisabled = false,
}: SegmentedProps<Value>) {
  const name = useId();
  return (
    <fieldset className="segmented" disabled={isDisabled}>
      <legend className="hidden">{label}</legend>
      {options.map(option => (
        <label key={option.value} title={option.hint}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.title}</span>
        </label>
      ))}
    </fieldset>
  );
}
