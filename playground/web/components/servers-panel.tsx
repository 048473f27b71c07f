import { useState } from 'react';
import type { PageHook } from '../hooks/use-page.js';
import { ConfigEditor } from './config-editor.js';
import { Icon } from './icon.js';
import { McpInspector } from './mcp-inspector.js';
import type { ServerView } from '../../shared/playground-state.js';
import { formatNumberOf, serverStateNames, shortenPaths } from '../lib/format.js';

/** The MCP servers with their states, and access to their configuration. */
export function ServersPanel({ page }: { page: PageHook }) {
  const [isEditing, setEditing] = useState(false);
  const [inspected, setInspected] = useState<string>();
  if (page.servers === undefined) return <p className="quiet">Loading servers …</p>;
  const { servers, config } = page.servers;
  const shown = servers.find(({ name }) => name === inspected);

  const setEnabled = async (name: string, isOn: boolean): Promise<void> => {
    const parsed = JSON.parse(config) as { mcpServers: Record<string, object> };
    const mcpServers = { ...parsed.mcpServers, [name]: { ...parsed.mcpServers[name], disabled: !isOn } };
    await page.replaceServers(JSON.stringify({ mcpServers })).catch(() => {});
  };
  return (
    <div className="servers">
      {servers.length === 0 && (
        <p className="quiet">No server is configured. Add a server to provide tools to the model.</p>
      )}
      <ul className="server-list">
        {servers.map(server => (
          <ServerCard
            key={server.name}
            server={server}
            onInspect={() => setInspected(server.name)}
            onReconnect={() => void page.reconnectServer(server.name)}
            onSignOut={() => void page.signOut(server.name)}
            onToggle={isOn => void setEnabled(server.name, isOn)}
          />
        ))}
      </ul>
      <button type="button" className="button" onClick={() => setEditing(true)}>
        <Icon name="plus" /> Add or edit servers
      </button>
      {shown !== undefined && <McpInspector server={shown} onClose={() => setInspected(undefined)} />}
      {isEditing && <ConfigEditor page={page} onClose={() => setEditing(false)} />}
    </div>
  );
}

export interface ServerCardProps {
  readonly server: ServerView;
  readonly onInspect: () => void;
  readonly onReconnect: () => void;
  readonly onSignOut: () => void;
  readonly onToggle: (isOn: boolean) => void;
}

/** One MCP server: state, tools, errors and log. */
function ServerCard({ server, onInspect, onReconnect, onSignOut, onToggle }: ServerCardProps) {
  const { name, target, state, error, tools, log, transport } = server;
  const isOn = state !== 'disabled';
  return (
    <li className="server-card" data-state={state}>
      <header>
        <span className="dot" data-state={state} aria-hidden="true" />
        <h3>{name}</h3>
        <button
          type="button"
          className="icon-button"
          aria-label={`Reconnect ${name}`}
          title="Reconnect"
          disabled={!isOn || state === 'connecting'}
          onClick={onReconnect}
        >
          <Icon name="again" />
        </button>
        <input
          type="checkbox"
          role="switch"
          aria-label={`Use ${name}`}
          checked={isOn}
          onChange={event => onToggle(event.target.checked)}
        />
      </header>
      <p className="server-state">{serverStateNames[state]}</p>
      <p className="target" title={target}>
        <span className="tag">{transport}</span> {shortenPaths(target)}
      </p>
      {error !== undefined && (
        <p className="note problem" role="alert">
          {error}
        </p>
      )}
      {server.authorizationUrl !== undefined && (
        <a
          className="button primary"
          href={server.authorizationUrl}
          target="_blank"
          rel="noreferrer noopener"
          aria-label="Sign in"
          aria-description={`Opens ${new URL(server.authorizationUrl).host}`}
        >
          Sign in
        </a>
      )}
      {server.isSignedIn === true && server.authorizationUrl === undefined && (
        <button type="button" className="button" aria-label={`Sign out of ${name}`} onClick={onSignOut}>
          Sign out
        </button>
      )}
      {isOn && (
        <button type="button" className="button" aria-label={`Inspect ${name}`} onClick={onInspect}>
          <Icon name="search" /> Inspect
        </button>
      )}
      {tools.length > 0 && (
        <details>
          <summary>{formatNumberOf(tools.length, 'tool')}</summary>
          <ul className="tool-names">
            {tools.map(tool => (
              <li key={tool.name}>
                <code>{tool.name}</code>
                {tool.hint !== undefined && (
                  <span className="tag" data-hint={tool.hint}>
                    {tool.hint}
                  </span>
                )}
                {tool.description !== undefined && <p>{tool.description}</p>}
              </li>
            ))}
          </ul>
        </details>
      )}
      {log.length > 0 && (
        <details>
          <summary>Log</summary>
          <ol className="log" tabIndex={0} aria-label={`Log of ${name}`}>
            {log.map((line, index) => (
              <li key={index} data-level={line.level}>
                <time dateTime={line.at}>{line.at.slice(11, 19)}</time> {line.text}
              </li>
            ))}
          </ol>
        </details>
      )}
    </li>
  );
}
