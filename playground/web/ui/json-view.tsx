import { memo, useMemo, useState } from 'react';
import { toJsonLines } from './json-lines.js';
import { Marked } from './marked.js';

export interface JsonViewProps {
  readonly value: unknown;
  readonly label: string;
  /** Text to highlight. */
  readonly query?: string;
}

/** Number of lines that are displayed initially. */
const FIRST_LINES = 400;

/** Formatted JSON with syntax colours. */
export const JsonView = memo(function JsonView({ value, label, query = '' }: JsonViewProps) {
  const [isExpanded, setExpanded] = useState(false);
  const lines = useMemo(() => toJsonLines(value), [value]);
  const shown = isExpanded ? lines : lines.slice(0, FIRST_LINES);
  return (
    <div className="json" role="region" aria-label={label} tabIndex={0}>
      <pre>
        {shown.map((tokens, index) => (
          <span className="line" key={index}>
            {tokens.map(({ text, kind }, place) => (
              <span key={place} className={kind}>
                <Marked text={text} query={query} />
              </span>
            ))}
            {'\n'}
          </span>
        ))}
      </pre>
      {shown.length < lines.length && (
        <button type="button" className="button subtle" onClick={() => setExpanded(true)}>
          {lines.length - shown.length} more lines
        </button>
      )}
    </div>
  );
});
