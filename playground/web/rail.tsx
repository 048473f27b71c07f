import { useEffect } from 'react';
import { needsUser } from '../shared/playground-state.js';
import type { PageHook } from './page/use-page.js';
import { paths, type Route, toLink } from './page/routes.js';
import { Icon, type IconName } from './ui/icon.js';

export interface RailProps {
  readonly route: Route;
  /** The chat to which the rail returns. */
  readonly conversationId: string;
  readonly page: Pick<PageHook, 'conversations' | 'servers'>;
}

/** The parts of the page. Below 760 pixels, it is the bar at the bottom. */
export function Rail({ route, conversationId, page: { conversations = [], servers } }: RailProps) {
  const waiting = conversations.reduce((sum, one) => sum + one.pendingApprovals + one.pendingRequests, 0);
  const inspected = (servers?.requests ?? []).filter(request => request.conversationId === undefined);
  const total = waiting + inspected.length;
  const failed = (servers?.servers ?? []).filter(needsUser).length;
  useEffect(() => {
    document.title = `${total > 0 ? `(${total}) ` : ''}Playground – kelivo-responses`;
  }, [total]);
  const items: readonly {
    path: string;
    title: string;
    name?: string;
    icon: IconName;
    isCurrent: boolean;
    badge?: number;
    /** Things that do not work. */
    problems?: number;
  }[] = [
    {
      path: paths.chat(conversationId),
      title: 'Chats',
      icon: 'chat',
      isCurrent: route.page === 'chat',
      badge: waiting,
    },
    {
      path: paths.servers,
      title: 'Servers',
      name: 'MCP servers',
      icon: 'server',
      isCurrent: route.page === 'servers',
      badge: inspected.length,
      problems: failed,
    },
    { path: paths.traces, title: 'Traces', icon: 'traces', isCurrent: route.page.startsWith('trace') },
    { path: paths.settings, title: 'Settings', icon: 'settings', isCurrent: route.page === 'settings' },
  ];
  return (
    <nav className="rail" aria-label="Parts of the playground">
      {items.map(({ path, title, name, icon, isCurrent, badge = 0, problems = 0 }) => (
        <a
          key={title}
          {...toLink(path)}
          aria-label={
            name &&
            [name, badge > 0 && `${badge} waiting`, problems > 0 && `${problems} not connected`]
              .filter(Boolean)
              .join(' ')
          }
          aria-current={isCurrent ? 'page' : undefined}
        >
          <Icon name={icon} />
          <span>{title}</span>{' '}
          {badge > 0 && (
            <span className="tab-badge">
              {badge}
              <span className="hidden"> waiting</span>
            </span>
          )}
          {badge === 0 && problems > 0 && (
            <span className="tab-badge" data-kind="problem" title={`${problems} not connected`}>
              {problems}
            </span>
          )}
        </a>
      ))}
    </nav>
  );
}
