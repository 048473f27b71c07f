import { useEffect, useState } from 'react';
import type { InspectedTool, ServerInspection, ToolCallResult } from '../../shared/mcp-inspection.js';
import type { ServerView } from '../../shared/playground-state.js';
import { callApi } from '../lib/api.js';
import { Dialog } from './dialog.js';
import { Field } from './field.js';
import { JsonTree } from './json-tree.js';
import { McpPrompts, McpResources } from './mcp-features.js';
import { SchemaForm } from './schema-form.js';
import { Tabs } from './tabs.js';

/** Milliseconds between two updates of the open inspector. */
const INTERVAL = 1000;

/** Tools, resources, prompts, messages and sign-in of one MCP server, without a model. */
export function McpInspector({ server, onClose }: { server: ServerView; onClose: () => void }) {
  const path = `/mcp/${encodeURIComponent(server.name)}`;
  const [inspection, setInspection] = useState<ServerInspection>();
  useEffect(() => {
    const read = (): void => void callApi<ServerInspection>(path).then(setInspection, () => {});
    read();
    const timer = setInterval(read, INTERVAL);
    return () => clearInterval(timer);
  }, [path]);
  const tools = inspection?.tools ?? [];
  return (
    <Dialog title={`MCP server “${server.name}”`} onClose={onClose} isWide>
      <Tabs
        label="Parts of the server"
        tabs={[
          { name: 'tools', title: 'Tools', content: <ToolCaller path={path} tools={tools} /> },
          { name: 'resources', title: 'Resources', content: <McpResources path={path} /> },
          { name: 'prompts', title: 'Prompts', content: <McpPrompts path={path} /> },
          {
            name: 'messages',
            title: 'JSON-RPC',
            content: <MessageList messages={inspection?.messages ?? []} />,
          },
          ...(server.transport === 'http'
            ? [
                {
                  name: 'sign-in',
                  title: 'Sign-in',
                  content: <SignIn url={server.authorizationUrl} steps={inspection?.signIn ?? []} />,
                },
              ]
            : []),
        ]}
      />
    </Dialog>
  );
}

/** A form from the schema of a tool, and the result of its call with `_meta`. */
function ToolCaller({ path, tools }: { path: string; tools: readonly InspectedTool[] }) {
  const [name, setName] = useState<string>();
  const [result, setResult] = useState<ToolCallResult>();
  const [problem, setProblem] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const tool = tools.find(one => one.name === name) ?? tools[0];
  if (tool === undefined) return <p className="quiet">The server has no tools, or is not connected yet.</p>;

  const call = async (input: Readonly<Record<string, unknown>>): Promise<void> => {
    setRunning(true);
    setProblem(undefined);
    try {
      setResult(
        await callApi<ToolCallResult>(`${path}/call`, {
          method: 'POST',
          body: { toolName: tool.name, input },
        }),
      );
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setRunning(false);
    }
  };
  return (
    <div className="mcp-part">
      <Field label="Tool">
        {props => (
          <select
            {...props}
            className="input"
            value={tool.name}
            onChange={event => {
              setName(event.target.value);
              setResult(undefined);
            }}
          >
            {tools.map(one => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        )}
      </Field>
      {tool.description !== undefined && <p className="quiet">{tool.description}</p>}
      <SchemaForm
        key={tool.name}
        schema={tool.inputSchema}
        submitTitle={isRunning ? 'Running …' : 'Call the tool'}
        isBusy={isRunning}
        onSubmit={input => void call(input)}
      />
      {problem !== undefined && (
        <p className="note problem" role="alert">
          {problem}
        </p>
      )}
      {result !== undefined && (
        <>
          <p role="status">
            {result.isError ? 'Failed' : 'Succeeded'} after {result.duration} ms
          </p>
          <JsonTree value={result.result} label="Result of the call" />
        </>
      )}
      <details>
        <summary>Schema, hints and metadata</summary>
        <JsonTree
          value={{ inputSchema: tool.inputSchema, annotations: tool.annotations, _meta: tool.meta }}
          label="Definition of the tool"
        />
      </details>
    </div>
  );
}

/** The messages of both directions, the newest first. */
function MessageList({ messages }: { messages: ServerInspection['messages'] }) {
  const [open, setOpen] = useState<number>();
  if (messages.length === 0) return <p className="quiet">No message has been sent yet.</p>;
  return (
    <ol className="mcp-messages">
      {messages.toReversed().map(({ number, direction, time, message }) => (
        <li key={number}>
          <button
            type="button"
            className="mcp-message"
            aria-expanded={open === number}
            onClick={() => setOpen(open === number ? undefined : number)}
          >
            <time>{new Date(time).toISOString().slice(11, 23)}</time>
            <span className="tag">{direction}</span>
            <code>{summarize(message)}</code>
          </button>
          {open === number && <JsonTree value={message} label={`Message ${number}`} />}
        </li>
      ))}
    </ol>
  );
}

function summarize(message: unknown): string {
  const { method, id, error } = message as { method?: string; id?: string | number; error?: unknown };
  const kind = method ?? (error === undefined ? 'result' : 'error');
  return id === undefined ? kind : `${kind} #${id}`;
}

/** The HTTP requests of a sign-in, and the page to open. */
function SignIn({ url, steps }: { url: string | undefined; steps: ServerInspection['signIn'] }) {
  return (
    <div className="mcp-part">
      {url === undefined ? (
        <p className="quiet">No sign-in is required.</p>
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
              <time>{new Date(step.time).toISOString().slice(11, 23)}</time>
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
