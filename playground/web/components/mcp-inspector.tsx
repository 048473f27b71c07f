import { useState } from 'react';
import { useStickToBottom } from 'use-stick-to-bottom';
import type { ServerInspection } from '../../shared/mcp-inspection.js';
import type { ServerView } from '../../shared/playground-state.js';
import { useInspection } from '../hooks/use-inspection.js';
import { serverStateNames } from '../lib/format.js';
import { findLastChange, summarize } from '../lib/mcp-traffic.js';
import { CopyButton } from './copy-button.js';
import { Dialog } from './dialog.js';
import { JsonTree } from './json-tree.js';
import { McpPrompts, McpResources } from './mcp-features.js';
import { McpToolCaller } from './mcp-tool-caller.js';
import { Tabs } from './tabs.js';

/** Tools, resources, prompts, messages, standard error and sign-in of one MCP server, without a model. */
export function McpInspector({ server, onClose }: { server: ServerView; onClose: () => void }) {
  const path = `/mcp/${encodeURIComponent(server.name)}`;
  const inspection = useInspection(path);
  const { messages = [], stderr = [], signIn = [], roots = [], handshake } = inspection ?? {};
  const shared = [
    { name: 'tools', title: 'Tools', content: <McpToolCaller path={path} inspection={inspection} /> },
    {
      name: 'resources',
      title: 'Resources',
      content: <McpResources path={path} revision={findLastChange(messages, 'resources')} />,
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
    <Dialog title={`MCP server “${server.name}”`} onClose={onClose} isWide>
      <p className="mcp-state">
        <span className="dot" data-state={server.state} aria-hidden="true" /> {serverStateNames[server.state]}
      </p>
      {server.error !== undefined && <p className="note problem">{server.error}</p>}
      <Tabs label="Parts of the server" tabs={[...shared, own, connection]} keepsVisited />
    </Dialog>
  );
}

/** The messages of both directions, the newest first. */
function MessageList({ messages }: { messages: ServerInspection['messages'] }) {
  const [open, setOpen] = useState<number>();
  if (messages.length === 0) return <p className="quiet">No message has been sent yet.</p>;
  return (
    <>
      <CopyButton label="Copy all messages" text={() => JSON.stringify(messages, null, 2)} />
      <ol className="mcp-messages">
        {messages.toReversed().map(({ number, direction, time, message }) => (
          <li key={number}>
            <button
              type="button"
              className="mcp-message"
              aria-expanded={open === number}
              onClick={() => setOpen(open === number ? undefined : number)}
            >
              <time>{toClock(time)}</time>
              <span className="tag">{direction}</span>
              <code>{summarize(message)}</code>
            </button>
            {open === number && <JsonTree value={message} label={`Message ${number}`} />}
          </li>
        ))}
      </ol>
    </>
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

const toClock = (time: number): string => new Date(time).toISOString().slice(11, 23);

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
