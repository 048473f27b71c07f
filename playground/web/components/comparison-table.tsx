import type { Trace } from '../../shared/trace.js';
import { compareTraces } from '../lib/compare-traces.js';

/** What the last two answers have in common and what not. */
export function ComparisonTable({ kelivo, stock }: { kelivo: Trace | undefined; stock: Trace | undefined }) {
  if (kelivo === undefined || stock === undefined) return null;
  return (
    <div className="comparison" tabIndex={0} role="region" aria-label="Comparison of the last answers">
      <table>
        <thead>
          <tr>
            <th scope="col">Last answer</th>
            <th scope="col">Kelivo</th>
            <th scope="col">Stock</th>
          </tr>
        </thead>
        <tbody>
          {compareTraces(kelivo, stock).map(({ title, values, isDifferent }) => (
            <tr key={title} data-different={isDifferent}>
              <th scope="row">{title}</th>
              {values.map((value, index) => (
                <td key={index}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
