import type { ServerView } from '../../shared/playground-state.js';
import { paths, toLink } from '../page/routes.js';
import { formatNumberOf, serverStateNames, shortenPaths } from '../ui/format.js';
import { Icon } from '../ui/icon.js';
import { Problem } from '../ui/problem.js';

export interface ServerCardProps {
  readonly server: ServerView;
  readonly isCurrent: boolean;
  /** Called when the link of the server is followed. */
  readonly onOpen: () => void;
  readonly onReconnect: () => void;
  readonly onSignOut: () => void;
  readonly onToggle: (isOn: boolean) => void;
}

/** One MCP server: state, tools, errors and log. */
export function ServerCard({ server, isCurrent, onOpen, onReconnect, onSignOut, onToggle }: ServerCardProps) {
  const { name, target, state, error, tools, log, transport } = server;
  const isOn = state !== 'disabled';
  return (
    <li className="server-card" data-state={state} data-current={isCurrent}>
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
      <p className="server-facts">
        <span className="server-state">{serverStateNames[state]}</span>
        <span className="tag">{transport}</span>
        <span className="target" title={target}>
          {shortenPaths(target)}
        </span>
      </p>
      <Problem>{error}</Problem>
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
      <div className="server-parts">
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
        {isOn && (
          <a
            className="button"
            aria-label={`Inspect ${name}`}
            aria-current={isCurrent ? 'page' : undefined}
            {...toLink(paths.server(name), onOpen)}
          >
            <Icon name="search" /> Inspect
          </a>
        )}
      </div>
    </li>
  );
}
