import type { Trace } from '../../shared/trace.js';
import type { Usage } from '../../shared/trace-event.js';
import { sumUsage } from '../lib/sum-usage.js';
import { formatCount } from '../lib/format.js';

/** Tokens by round and in all. */
export function UsageTable({ trace: { rounds, usage } }: { trace: Trace }) {
  const total = usage ?? sumUsage(rounds.flatMap(round => round.usage ?? []));
  if (rounds.every(round => round.usage === undefined)) return null;
  return (
    <table className="usage">
      <caption className="hidden">Tokens</caption>
      <thead>
        <tr>
          <th scope="col">Tokens</th>
          <th scope="col">in</th>
          <th scope="col">cached</th>
          <th scope="col">out</th>
          <th scope="col">reasoning</th>
        </tr>
      </thead>
      <tbody>
        {rounds.map(round => (
          <UsageRow key={round.round} title={`Round ${round.round}`} usage={round.usage} />
        ))}
      </tbody>
      <tfoot>
        <UsageRow title="In all" usage={total} />
      </tfoot>
    </table>
  );
}

function UsageRow({ title, usage = {} }: { title: string; usage: Usage | undefined }) {
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens } = usage;
  return (
    <tr>
      <th scope="row">{title}</th>
      {[inputTokens, cachedInputTokens, outputTokens, reasoningTokens].map((count, index) => (
        <td key={index}>{formatCount(count)}</td>
      ))}
    </tr>
  );
}
