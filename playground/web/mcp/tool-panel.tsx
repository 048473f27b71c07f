import { useEffect, useRef, useState } from 'react';
import type {
  InspectedTool,
  PastCall,
  SchemaProblem,
  ServerInspection,
  ToolCallResult,
} from '../../shared/mcp-inspection.js';
import { callApi, toSchemaProblems } from '../page/api.js';
import { formatDuration, formatNumberOf } from '../ui/format.js';
import { CopyButton } from '../ui/copy-button.js';
import { JsonTree } from '../ui/json-tree.js';
import { CallResult, CallStatus } from './call-outcome.js';
import { findBlocker, findProgress, messagesOfTool } from './mcp-traffic.js';
import { MessageList } from './message-list.js';
import { forgetForm, SchemaForm } from './schema-form.js';
import { Badges } from './badges.js';
import { ToolApp } from './tool-app.js';
import { isEnded, ToolTasks } from './tool-task.js';
import { Problem } from '../ui/problem.js';
import { describeFailure } from '../../shared/failure.js';

export interface ToolPanelProps {
  readonly server: string;
  readonly path: string;
  readonly tool: InspectedTool;
  readonly inspection: ServerInspection;
}

/** The call of a tool: running, ended, refused, or failed without a response of the playground. */
type Call =
  | { readonly state: 'running'; readonly after: number }
  | { readonly state: 'ended'; readonly id: number; readonly input: object; readonly result: ToolCallResult }
  | { readonly state: 'failed'; readonly problem: string }
  | { readonly state: 'refused'; readonly problems: readonly SchemaProblem[]; readonly input: object };

/** A form from the schema of a tool, its progress and result, the earlier calls, and the JSON-RPC messages of the tool. */
export function ToolPanel({ server, path, tool, inspection }: ToolPanelProps) {
  const { messages, last } = inspection;
  const [call, setCall] = useState<Call>();
  const tasks = inspection.tasks.filter(({ toolName }) => toolName === tool.name);
  const [history, refresh] = useHistory(path, tool.name, tasks.filter(isEnded).length);
  const [isTaskWanted, setTaskWanted] = useState(false);
  const isTask = tool.task === 'required' || (tool.task === 'optional' && isTaskWanted);
  /** A call of the history whose arguments are in the form. */
  const [edited, setEdited] = useState<{ readonly count: number; readonly input: unknown }>({
    count: 0,
    input: undefined,
  });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (input: object, { isForced = false } = {}): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setCall({ state: 'running', after: last });
    try {
      const body = { toolName: tool.name, input, ...(isForced && { isForced }), ...(isTask && { isTask }) };
      const { signal } = controller;
      const result = await callApi<ToolCallResult>(`${path}/call`, { method: 'POST', body, signal });
      setCall(isTask ? undefined : { state: 'ended', id: last, input, result });
    } catch (error) {
      const problems = toSchemaProblems(error);
      if (problems !== undefined) return setCall({ state: 'refused', problems, input });
      const problem = describeFailure(error);
      setCall({ state: 'failed', problem: controller.signal.aborted ? 'The call was cancelled.' : problem });
    } finally {
      refresh();
    }
  };
  const isRunning = call?.state === 'running';
  const place = isRunning ? { toolName: tool.name, after: call.after } : undefined;
  const blocker = place && findBlocker(messages, place);
  return (
    <div className="tool-panel">
      <section aria-label={`Tool ${tool.name}`}>
        <header>
          <h3>{tool.title ?? tool.name}</h3>
          {tool.title !== undefined && <code>{tool.name}</code>}
          <Badges tool={tool} />
        </header>
        {tool.description !== undefined && <p className="quiet">{tool.description}</p>}
        <SchemaForm
          key={edited.count}
          schema={tool.inputSchema}
          initial={edited.input}
          keptAs={`${path} ${tool.name}`}
          submitTitle={blocker !== undefined ? 'Waiting …' : isRunning ? 'Running …' : 'Call the tool'}
          isBusy={isRunning}
          problems={call?.state === 'refused' ? call.problems : []}
          onSubmit={input => void start(input)}
        >
          {tool.task !== undefined && (
            <label className="switch-row">
              <input
                type="checkbox"
                role="switch"
                checked={isTask}
                disabled={tool.task === 'required'}
                onChange={event => setTaskWanted(event.target.checked)}
              />
              <span>Call as a task</span>
            </label>
          )}
          {isRunning && (
            <button type="button" className="button" onClick={() => running.current?.abort()}>
              Cancel the call
            </button>
          )}
        </SchemaForm>
        {call?.state === 'refused' && (
          <div className="note problem" role="alert">
            <p>The values do not match the schema of the tool, so they were not sent.</p>
            <button
              type="button"
              className="button"
              onClick={() => void start(call.input, { isForced: true })}
            >
              Send anyway
            </button>
          </div>
        )}
        {place !== undefined && <CallStatus progress={findProgress(messages, place)} blocker={blocker} />}
        <ToolTasks path={path} tasks={tasks} messages={messages} history={history} />
        {call?.state === 'failed' && <Problem>{call.problem}</Problem>}
        {call?.state === 'ended' && <CallResult path={path} {...call.result} />}
        {call?.state === 'ended' && tool.app?.resourceUri !== undefined && (
          <ToolApp
            key={call.id}
            server={server}
            name={tool.name}
            input={call.input}
            output={call.result.result}
            isError={call.result.isError}
          />
        )}
        <Definition tool={tool} />
      </section>
      <aside aria-label="Calls of this tool">
        <History
          calls={history}
          isBusy={isRunning}
          onRepeat={({ input }) => void start(input, { isForced: true })}
          onEdit={({ input }) => {
            forgetForm(`${path} ${tool.name}`);
            setEdited({ count: edited.count + 1, input });
          }}
        />
        <section aria-label="JSON-RPC">
          <h3>JSON-RPC</h3>
          <MessageList messages={messagesOfTool(messages, tool.name)} />
        </section>
      </aside>
    </div>
  );
}

/** The calls of a tool since the server of the playground started, the newest first. */
function useHistory(
  path: string,
  toolName: string,
  endedTasks: number,
): readonly [readonly PastCall[], () => void] {
  const [calls, setCalls] = useState<readonly PastCall[]>([]);
  const [count, setCount] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    callApi<readonly PastCall[]>(`${path}/history?tool=${encodeURIComponent(toolName)}`, {
      signal: controller.signal,
    }).then(setCalls, () => {});
    return () => controller.abort();
  }, [path, toolName, count, endedTasks]);
  return [calls, () => setCount(known => known + 1)];
}

interface HistoryProps {
  readonly calls: readonly PastCall[];
  readonly isBusy: boolean;
  readonly onRepeat: (call: PastCall) => void;
  readonly onEdit: (call: PastCall) => void;
}

function History({ calls, isBusy, onRepeat, onEdit }: HistoryProps) {
  const [open, setOpen] = useState<number>();
  return (
    <section aria-label="History">
      <h3>History</h3>
      {calls.length === 0 && <p className="quiet">The calls of this tool are listed here.</p>}
      <ol className="call-history">
        {calls.map(call => (
          <li key={call.number}>
            <button
              type="button"
              className="mcp-message"
              aria-expanded={open === call.number}
              onClick={() => setOpen(open === call.number ? undefined : call.number)}
            >
              <span className="tag" data-hint={call.isError ? 'destructive' : 'read-only'}>
                {call.isError ? 'failed' : 'succeeded'}
              </span>
              <code>{JSON.stringify(call.input).slice(0, 80)}</code>
              <span className="quiet">{formatDuration(call.duration)}</span>
            </button>
            <div className="button-row">
              <button
                type="button"
                className="button subtle"
                disabled={isBusy}
                onClick={() => onRepeat(call)}
              >
                Repeat
              </button>
              <button type="button" className="button subtle" onClick={() => onEdit(call)}>
                Edit
              </button>
              <CopyButton label={`Copy call ${call.number} as JSON-RPC`} text={() => toJsonRpc(call)} />
            </div>
            {open === call.number && (
              <JsonTree
                value={{ arguments: call.input, result: call.result }}
                label={`Call ${call.number}`}
              />
            )}
          </li>
        ))}
      </ol>
      {calls.length > 0 && <p className="hint">{formatNumberOf(calls.length, 'call')}</p>}
    </section>
  );
}

/** The request of a call, without secrets and what belongs to its connection. */
const toJsonRpc = ({ number, toolName, redactedInput }: PastCall): string =>
  JSON.stringify(
    {
      jsonrpc: '2.0',
      id: number,
      method: 'tools/call',
      params: { name: toolName, arguments: redactedInput },
    },
    null,
    2,
  );

const Definition = ({ tool: { inputSchema, outputSchema, annotations, meta } }: { tool: InspectedTool }) => (
  <details>
    <summary>Schema, hints and metadata</summary>
    <JsonTree
      value={{ inputSchema, outputSchema, annotations, _meta: meta }}
      label="Definition of the tool"
    />
  </details>
);
