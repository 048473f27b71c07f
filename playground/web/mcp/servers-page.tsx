import { useEffect, useState } from 'react';
import { needsUser, type ServerView } from '../../shared/playground-state.js';
import { ConnectionNote } from '../page/connection-note.js';
import { Missing } from '../page/missing.js';
import { navigate, paths, type Route } from '../page/routes.js';
import type { PageHook } from '../page/use-page.js';
import { Icon } from '../ui/icon.js';
import { Loading } from '../ui/list-state.js';
import { Resizer } from '../ui/resizer.js';
import { ConfigEditor } from './config-editor.js';
import { NewServerForm } from './new-server-form.js';
import { ServerCard } from './server-card.js';
import { ServerWorkspace } from './server-workspace.js';

export interface ServersPageProps {
  readonly page: PageHook;
  readonly route: Extract<Route, { page: 'servers' }>;
}

/** The MCP servers with their states, and the workspace of the server in the address. */
export function ServersPage({ page, route }: ServersPageProps) {
  const [form, setForm] = useState<'new' | 'configuration'>();
  /** A server that was added, whose state has not arrived yet. */
  const [added, setAdded] = useState<string>();
  const isAdded = page.servers?.servers.some(({ name }) => name === added) === true;
  useEffect(() => {
    if (added === undefined || !isAdded) return;
    setAdded(undefined);
    setForm(undefined);
    navigate(paths.server(added));
  }, [added, isAdded]);
  if (page.servers === undefined) {
    return (
      <main className="content">
        {page.connection === 'lost' ? <ConnectionNote connection="lost" /> : <Loading what="servers" />}
      </main>
    );
  }
  const { servers, config } = page.servers;
  const shown = servers.find(({ name }) => name === route.server);
  const isEditing = form !== undefined;
  const close = (): void => setForm(undefined);

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
        <button type="button" className="button" onClick={() => setForm('new')}>
          <Icon name="plus" /> Add a server
        </button>
        {servers.length === 0 && (
          <p className="quiet">No server is configured. Add a server to provide tools to the model.</p>
        )}
        <ul className="server-list">
          {servers.toSorted(byAttention).map(server => (
            <ServerCard
              key={server.name}
              server={server}
              isCurrent={server.name === route.server && !isEditing}
              onOpen={close}
              onReconnect={() => void page.reconnectServer(server.name)}
              onSignOut={() => void page.signOut(server.name)}
              onToggle={isOn => void setEnabled(server.name, isOn)}
            />
          ))}
        </ul>
        <button type="button" className="button subtle" onClick={() => setForm('configuration')}>
          Edit the configuration
        </button>
      </section>
      <Resizer panel="list" label="Width of the list" />
      <div className="content">
        <ConnectionNote connection={page.connection} />
        {form === 'new' ? (
          <NewServerForm page={page} onAdded={setAdded} onClose={close} />
        ) : form === 'configuration' ? (
          <ConfigEditor page={page} onClose={close} />
        ) : shown !== undefined ? (
          <ServerWorkspace
            key={shown.name}
            server={shown}
            part={route.part ?? 'tools'}
            item={route.item}
            page={page}
            onReconnect={() => void page.reconnectServer(shown.name)}
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

/** Servers that need the user come first, because a list of many is longer than the page. */
const byAttention = (a: ServerView, b: ServerView): number => Number(needsUser(b)) - Number(needsUser(a));
