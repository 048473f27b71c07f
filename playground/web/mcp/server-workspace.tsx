import { useRef, useState } from 'react';
import { useStickToBottom } from 'use-stick-to-bottom';
import { describeFailure } from '../../shared/failure.js';
import { LOG_LEVELS, type LogLevel, type ServerInspection } from '../../shared/mcp-inspection.js';
import type { ServerView } from '../../shared/playground-state.js';
import { useInspection } from './use-inspection.js';
import { serverStateNames, toClock } from '../ui/format.js';
import { findLastChange, findLastUpdate } from './mcp-traffic.js';
import { MessageList } from './message-list.js';
import { JsonTree } from '../ui/json-tree.js';
import type { PageHook } from '../page/use-page.js';
import { navigate, paths, type ServerPart } from '../page/routes.js';
import { McpPrompts } from './server-prompts.js';
import { McpResources } from './server-resources.js';
import { ServerRequest } from './server-request.js';
import { ToolsWorkspace } from './tools-workspace.js';
import { callApi } from '../page/api.js';
import { Field } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { Select } from '../ui/select.js';
import { Tabs } from '../ui/tabs.js';

export interface ServerWorkspaceProps {
  readonly server: ServerView;
  readonly part: ServerPart;
  /** The tool or resource of the address. */
  readonly item: string | undefined;
  readonly page: Pick<PageHook, 'state' | 'change' | 'servers'>;
  readonly onReconnect: () => void;
}

/** Tools, resources, prompts, messages, standard error and sign-in of one MCP server, without a model. */
export function ServerWorkspace({ server, part, item, page, onReconnect }: ServerWorkspaceProps) {
  const { name } = server;
  const requests = page.servers?.requests ?? [];
  const path = `/mcp/${encodeURIComponent(name)}`;
  const inspection = useInspection(path);
  const { messages = [], stderr = [], signIn = [], roots = [], handshake } = inspection ?? {};
  const { capabilities } = (handshake?.result ?? {}) as { capabilities?: Capabilities };
  /** The items that were open last in the tabs, which stay as they are while another tab is open. */
  const items = useRef<Partial<Record<ServerPart, string>>>({});
  if (item !== undefined) items.current[part] = item;
  const itemOf = (owner: ServerPart): string | undefined => (part === owner ? item : items.current[owner]);
  const shared = [
    {
      name: 'tools',
      title: 'Tools',
      content: (
        <ToolsWorkspace
          server={name}
          path={path}
          inspection={inspection}
          toolName={itemOf('tools')}
          page={page}
        />
      ),
    },
    {
      name: 'resources',
      title: 'Resources',
      content: (
        <McpResources
          server={name}
          path={path}
          revision={findLastChange(messages, 'resources')}
          uri={itemOf('resources')}
          updateNumber={findLastUpdate(messages, itemOf('resources'))}
          isSubscribable={capabilities?.resources?.subscribe === true}
        />
      ),
    },
    {
      name: 'prompts',
      title: 'Prompts',
      content: <McpPrompts path={path} revision={findLastChange(messages, 'prompts')} />,
    },
    { name: 'messages', title: 'JSON-RPC', content: <MessageList messages={messages} /> },
  ];
  const own =
    server.transport === 'http'
      ? {
          name: 'sign-in',
          title: 'Sign-in',
          content: <SignIn url={server.authorizationUrl} steps={signIn} />,
        }
      : { name: 'stderr', title: 'Standard error', content: <StderrLines lines={stderr} /> };
  const connection = {
    name: 'connection',
    title: 'Connection',
    content: <Connection handshake={handshake} roots={roots} />,
  };
  return (
    <section className="server-workspace" aria-label={`MCP server “${name}”`}>
      <header>
        <h2>{name}</h2>
        <p className="state-badge" data-state={badgeStates[server.state]} role="status">
          {serverStateNames[server.state]}
        </p>
        {capabilities?.logging !== undefined && <LogLevelField path={path} level={inspection?.logLevel} />}
      </header>
      {requests
        .filter(request => request.server === name && request.conversationId === undefined)
        .map(request => (
          <ServerRequest key={request.id} request={request} />
        ))}
      {server.error !== undefined && (
        <div className="server-problem">
          <p className="note problem">{server.error}</p>
          {server.state === 'failed' && (
            <button type="button" className="button" onClick={onReconnect}>
              <Icon name="again" /> Try again
            </button>
          )}
        </div>
      )}
      <Tabs
        label="Parts of the server"
        tabs={[...shared, own, connection]}
        keepsVisited
        current={part}
        onChange={tab => navigate(paths.server(name, tab as ServerPart, items.current[tab as ServerPart]))}
      />
    </section>
  );
}

/** The colours of the states. */
const badgeStates: Readonly<Record<ServerView['state'], string>> = {
  idle: 'stopped',
  connecting: 'running',
  ready: 'finished',
  unauthorized: 'stopped',
  failed: 'failed',
  disabled: 'stopped',
};

/** Capabilities of the server that the page reads. */
interface Capabilities {
  readonly logging?: object;
  readonly resources?: { readonly subscribe?: boolean };
}

/** The minimum level of the log messages of the server. */
function LogLevelField({ path, level }: { path: string; level: LogLevel | undefined }) {
  const [chosen, setChosen] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const change = (next: string): void => {
    setChosen(next);
    callApi(`${path}/log-level`, { method: 'PUT', body: { level: next } }).then(
      () => setProblem(undefined),
      (error: unknown) => {
        setChosen(undefined);
        setProblem(describeFailure(error));
      },
    );
  };
  return (
    <Field label="Log level" problem={problem}>
      {props => (
        <Select
          {...props}
          value={chosen ?? level ?? ''}
          choices={[
            ...(level === undefined && chosen === undefined ? [{ value: '', title: 'default' }] : []),
            ...LOG_LEVELS.map(one => ({ value: one, title: one })),
          ]}
          onChange={change}
        />
      )}
    </Field>
  );
}

/** What the server writes to its standard error, the newest line last, and followed unless the reader scrolls back. */
function StderrLines({ lines }: { lines: ServerInspection['stderr'] }) {
  const { scrollRef, contentRef } = useStickToBottom({ initial: 'instant', resize: 'instant' });
  if (lines.length === 0)
    return <p className="quiet">The server has written nothing to its standard error.</p>;
  return (
    <div className="log mcp-stderr" ref={scrollRef} role="region" aria-label="Standard error" tabIndex={0}>
      <ol ref={contentRef}>
        {lines.map(({ number, time, text }) => (
          <li key={number}>
            <time>{toClock(time)}</time> {text}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The first exchange of the connection, and the roots of the configuration. */
const Connection = ({ handshake, roots }: Pick<ServerInspection, 'handshake' | 'roots'>) => (
  <div className="mcp-part">
    {handshake === undefined ? (
      <p className="quiet">The server is not connected.</p>
    ) : (
      <>
        <p className="quiet">
          The result of <code>{handshake.method}</code>: revision, capabilities and instructions of the
          server.
        </p>
        <JsonTree value={handshake.result} label="Result of the handshake" />
      </>
    )}
    <h3>Roots</h3>
    {roots.length === 0 ? (
      <p className="quiet">
        None. Add <code>roots</code> to the configuration of the server to name the folders that it may use.
      </p>
    ) : (
      <ul className="mcp-list">
        {roots.map(root => (
          <li key={root}>
            <code>{root}</code>
          </li>
        ))}
      </ul>
    )}
  </div>
);

/** The HTTP requests of a sign-in, and the page to open. */
function SignIn({ url, steps }: { url: string | undefined; steps: ServerInspection['signIn'] }) {
  return (
    <div className="mcp-part">
      {url === undefined ? (
        <p className="quiet">{steps.length === 0 ? 'No' : 'No further'} sign-in is required.</p>
      ) : (
        <p>
          <a className="button primary" href={url} target="_blank" rel="noreferrer noopener">
            Sign in
          </a>
        </p>
      )}
      {steps.length > 0 && (
        <ol className="mcp-messages">
          {steps.map((step, index) => (
            <li key={index} className="mcp-message">
              <time>{toClock(step.time)}</time>
              <span className="tag">{step.result}</span>
              <code>
                {step.method} {step.url}
              </code>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
