import { memo, useMemo, useState } from 'react';
import { toJsonLines } from '../lib/json-lines.js';
import { Marked } from './marked.js';

export interface JsonViewProps {
  readonly value: unknown;
  readonly label: string;
  /** What is marked in it. */
  readonly query?: string;
}

/** Lines that are shown before somebody asks for the rest. */
const FIRST_LINES = 400;

/** JSON, coloured, a line for each entry. */
export const JsonView = memo(function JsonView({ value, label, query = '' }: JsonViewProps) {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => toJsonLines(value), [value]);
  const shown = isWhole ? lines : lines.slice(0, FIRST_LINES);
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
        <button type="button" className="button subtle" onClick={() => setWhole(true)}>
          {lines.length - shown.length} more lines
        </button>
      )}
    </div>
  );
});
