import { useState } from 'react';
import { useServers } from '../hooks/use-servers.js';
import { ConfigEditor } from './config-editor.js';
import { Icon } from './icon.js';
import { ServerCard } from './server-card.js';

/** The MCP servers: how each is doing, and the configuration they come from. */
export function ServersPanel() {
  const hook = useServers();
  const [isEditing, setEditing] = useState(false);
  if (hook.servers === undefined) return <p className="quiet">Looking for the servers …</p>;

  const setEnabled = async (name: string, isOn: boolean): Promise<void> => {
    const parsed = JSON.parse(hook.config) as { mcpServers: Record<string, object> };
    const mcpServers = { ...parsed.mcpServers, [name]: { ...parsed.mcpServers[name], disabled: !isOn } };
    await hook.replace(JSON.stringify({ mcpServers })).catch(() => {});
  };
  return (
    <div className="servers">
      {hook.servers.length === 0 && (
        <p className="quiet">No server is configured. Add one to give the model tools.</p>
      )}
      <ul className="server-list">
        {hook.servers.map(server => (
          <ServerCard
            key={server.name}
            server={server}
            onReconnect={() => void hook.reconnect(server.name)}
            onToggle={isOn => void setEnabled(server.name, isOn)}
          />
        ))}
      </ul>
      <button type="button" className="button" onClick={() => setEditing(true)}>
        <Icon name="plus" /> Add or edit servers
      </button>
      {isEditing && <ConfigEditor hook={hook} onClose={() => setEditing(false)} />}
    </div>
  );
}
