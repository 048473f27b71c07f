import { useState } from 'react';
import { ConnectionNote } from '../page/connection-note.js';
import { Missing } from '../page/missing.js';
import { paths, type Route } from '../page/routes.js';
import type { PageHook } from '../page/use-page.js';
import { Icon } from '../ui/icon.js';
import { Loading } from '../ui/list-state.js';
import { Resizer } from '../ui/resizer.js';
import { ConfigEditor } from './config-editor.js';
import { ServerCard } from './server-card.js';
import { ServerWorkspace } from './server-workspace.js';

export interface ServersPageProps {
  readonly page: PageHook;
  readonly route: Extract<Route, { page: 'servers' }>;
}

/** The MCP servers with their states, and the workspace of the server in the address. */
export function ServersPage({ page, route }: ServersPageProps) {
  const [isEditing, setEditing] = useState(false);
  if (page.servers === undefined) {
    return (
      <main className="content">
        {page.connection === 'lost' ? <ConnectionNote connection="lost" /> : <Loading what="servers" />}
      </main>
    );
  }
  const { servers, config } = page.servers;
  const shown = servers.find(({ name }) => name === route.server);

  const setEnabled = async (name: string, isOn: boolean): Promise<void> => {
    const parsed = JSON.parse(config) as { mcpServers: Record<string, object> };
    const mcpServers = { ...parsed.mcpServers, [name]: { ...parsed.mcpServers[name], disabled: !isOn } };
    await page.replaceServers(JSON.stringify({ mcpServers })).catch(() => {});
  };
  return (
    <main
      className="workspace servers"
      data-page={route.server === undefined && !isEditing ? 'list' : 'detail'}
    >
      <section className="side-panel" aria-label="MCP servers">
        <h2>MCP servers</h2>
        {servers.length === 0 && (
          <p className="quiet">No server is configured. Add a server to provide tools to the model.</p>
        )}
        <ul className="server-list">
          {servers.map(server => (
            <ServerCard
              key={server.name}
              server={server}
              isCurrent={server.name === route.server && !isEditing}
              onOpen={() => setEditing(false)}
              onReconnect={() => void page.reconnectServer(server.name)}
              onSignOut={() => void page.signOut(server.name)}
              onToggle={isOn => void setEnabled(server.name, isOn)}
            />
          ))}
        </ul>
        <button type="button" className="button" onClick={() => setEditing(true)}>
          <Icon name="plus" /> Add or edit servers
        </button>
      </section>
      <Resizer panel="list" label="Width of the list" />
      <div className="content">
        <ConnectionNote connection={page.connection} />
        {isEditing ? (
          <ConfigEditor page={page} onClose={() => setEditing(false)} />
        ) : shown !== undefined ? (
          <ServerWorkspace
            key={shown.name}
            server={shown}
            part={route.part ?? 'tools'}
            item={route.item}
            page={page}
          />
        ) : route.server !== undefined ? (
          <Missing title="There is no such server" path={paths.servers} link="All servers">
            No MCP server has the name “{route.server}”. It may have been removed or renamed.
          </Missing>
        ) : (
          <p className="quiet empty-note">
            Select a server to call its tools, read its resources and follow its messages, without a model.
          </p>
        )}
      </div>
    </main>
  );
}
