import type { InspectedTool } from '../../shared/mcp-inspection.js';

const BADGES = [
  ['readOnly', 'read-only'],
  ['destructive', 'destructive'],
  ['idempotent', 'idempotent'],
  ['openWorld', 'open-world'],
] as const;

/** Shows the hints of a tool that its server declares, and whether it has an app or can run as a task. */
export function Badges({ tool }: { tool: Pick<InspectedTool, 'annotations' | 'app' | 'task'> }) {
  const titles = [
    ...BADGES.filter(([hint]) => tool.annotations[hint] === true).map(([, title]) => title),
    ...(tool.app?.resourceUri === undefined ? [] : ['app']),
    ...(tool.task === undefined ? [] : ['task']),
  ];
  return titles.map(title => (
    <span key={title} className="tag" data-hint={title}>
      {title}
    </span>
  ));
}
