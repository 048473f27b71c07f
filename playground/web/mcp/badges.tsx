import type { InspectedTool } from '../../shared/mcp-inspection.js';

const BADGES = [
  ['readOnly', 'read-only'],
  ['destructive', 'destructive'],
  ['idempotent', 'idempotent'],
  ['openWorld', 'open-world'],
] as const;

/** Shows the hints of a tool that its server declares. */
export function Badges({ tool: { annotations } }: { tool: Pick<InspectedTool, 'annotations'> }) {
  return BADGES.filter(([hint]) => annotations[hint] === true).map(([hint, title]) => (
    <span key={hint} className="tag" data-hint={title}>
      {title}
    </span>
  ));
}
