import { lazy, Suspense } from 'react';
import { Icon } from './icon.js';
import type { SelectProps } from './searchable-select.js';

/** The most choices that are surveyed without a search. */
const FEW = 7;

// Choices stay selectable if the code of the search cannot be loaded.
const SearchableSelect = lazy(() =>
  import('./searchable-select.js').catch(() => ({ default: NativeSelect })),
);

/** A choice of one: the control of the browser for few choices, with a search for many. */
export function Select(props: SelectProps) {
  const native = <NativeSelect {...props} />;
  return (
    <span className="select">
      {props.choices.length <= FEW ? (
        native
      ) : (
        <Suspense fallback={native}>
          <SearchableSelect {...props} />
        </Suspense>
      )}
      <Icon name="chevron" />
    </span>
  );
}

function NativeSelect({ choices, onChange, ...props }: SelectProps) {
  return (
    <select {...props} className="input" onChange={event => onChange(event.target.value)}>
      {choices.map(({ value, title }) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  );
}
