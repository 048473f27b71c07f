import type { InspectedTool } from '../../shared/mcp-inspection.js';

const BADGES = [
  ['readOnly', 'read-only'],
  ['destructive', 'destructive'],
  ['idempotent', 'idempotent'],
  ['openWorld', 'open-world'],
] as const;

/** What the server says about a tool. */
export function Badges({ tool: { annotations } }: { tool: Pick<InspectedTool, 'annotations'> }) {
  return BADGES.filter(([hint]) => annotations[hint] === true).map(([hint, title]) => (
    <span key={hint} className="tag" data-hint={title}>
      {title}
    </span>
  ));
}
