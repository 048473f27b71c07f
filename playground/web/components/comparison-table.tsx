import { useMemo } from 'react';
import type { Trace } from '../../shared/trace.js';
import { compareTraces } from '../lib/compare-traces.js';
import { diffJson } from '../lib/diff-json.js';
import { formatNumberOf } from '../lib/format.js';

/** What the last two answers have in common and what not. */
export function ComparisonTable({
  kelivo,
  official,
}: {
  kelivo: Trace | undefined;
  official: Trace | undefined;
}) {
  if (kelivo === undefined || official === undefined) return null;
  return (
    <div className="comparison" tabIndex={0} role="region" aria-label="Comparison of the last answers">
      <table>
        <thead>
          <tr>
            <th scope="col">Last answer</th>
            <th scope="col">Kelivo</th>
            <th scope="col">Official</th>
          </tr>
        </thead>
        <tbody>
          {compareTraces(kelivo, official).map(({ title, values, isDifferent }) => (
            <tr key={title} data-different={isDifferent}>
              <th scope="row">{title}</th>
              {values.map((value, index) => (
                <td key={index}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <RequestDifferences
        kelivo={kelivo.exchanges[0]?.request.body}
        official={official.exchanges[0]?.request.body}
      />
    </div>
  );
}

/** Differences that are shown; the rest is counted. */
const MAX_DIFFERENCES = 50;

function RequestDifferences({ kelivo, official }: { kelivo: unknown; official: unknown }) {
  const differences = useMemo(() => diffJson(kelivo, official), [kelivo, official]);
  if (differences.length === 0) return <p className="quiet">Both sent the same first request.</p>;
  return (
    <details>
      <summary>{formatNumberOf(differences.length, 'difference')} in the first request</summary>
      <table>
        <tbody>
          {differences.slice(0, MAX_DIFFERENCES).map(({ path, first, second }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td>
                <code>{toText(first)}</code>
              </td>
              <td>
                <code>{toText(second)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {differences.length > MAX_DIFFERENCES && (
        <p className="quiet">and {differences.length - MAX_DIFFERENCES} more</p>
      )}
    </details>
  );
}

const toText = (value: unknown): string => JSON.stringify(value)?.slice(0, 200) ?? '–';
