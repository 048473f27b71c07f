import { useEffect, useRef, useState } from 'react';
import type {
  InspectedTool,
  SchemaProblem,
  ServerInspection,
  ToolCallResult,
} from '../../shared/mcp-inspection.js';
import { callApi, toSchemaProblems } from '../lib/api.js';
import { type CallProgress, findProgress } from '../lib/mcp-traffic.js';
import { Field } from './field.js';
import { JsonTree } from './json-tree.js';
import { SchemaForm } from './schema-form.js';
import { ToolOutput } from './tool-part.js';

export interface McpToolCallerProps {
  readonly path: string;
  readonly inspection: ServerInspection | undefined;
}

/** The call of a tool: running, ended, or failed without a response of the playground. */
type Call =
  | { readonly state: 'running'; readonly toolName: string; readonly after: number }
  | { readonly state: 'ended'; readonly result: ToolCallResult }
  | { readonly state: 'failed'; readonly problem: string }
  | { readonly state: 'refused'; readonly problems: readonly SchemaProblem[] };

/** A form from the schema of a tool, its progress, and the result of its call with `_meta`. */
export function McpToolCaller({ path, inspection }: McpToolCallerProps) {
  const { tools = [], messages = [], last = 0 } = inspection ?? {};
  const [name, setName] = useState<string>();
  const [call, setCall] = useState<Call>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const tool = tools.find(one => one.name === name) ?? tools[0];
  if (inspection === undefined) return <p className="quiet">Loading …</p>;
  if (tool === undefined) return <p className="quiet">The server has no tools, or is not connected.</p>;

  const start = async (input: Readonly<Record<string, unknown>>): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setCall({ state: 'running', toolName: tool.name, after: last });
    try {
      const body = { toolName: tool.name, input };
      const { signal } = controller;
      setCall({ state: 'ended', result: await callApi(`${path}/call`, { method: 'POST', body, signal }) });
    } catch (error) {
      const problems = toSchemaProblems(error);
      if (problems !== undefined) return setCall({ state: 'refused', problems });
      const problem = error instanceof Error ? error.message : String(error);
      setCall({ state: 'failed', problem: controller.signal.aborted ? 'The call was cancelled.' : problem });
    }
  };
  const isRunning = call?.state === 'running';
  return (
    <div className="mcp-part">
      <Field label="Tool">
        {props => (
          <select
            {...props}
            className="input"
            value={tool.name}
            disabled={isRunning}
            onChange={event => {
              setName(event.target.value);
              setCall(undefined);
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
        problems={call?.state === 'refused' ? call.problems : []}
        onSubmit={input => void start(input)}
      >
        {isRunning && (
          <button type="button" className="button" onClick={() => running.current?.abort()}>
            Cancel the call
          </button>
        )}
      </SchemaForm>
      {call?.state === 'refused' && (
        <p className="note problem" role="alert">
          The values do not match the schema of the tool, so they were not sent.
        </p>
      )}
      {call?.state === 'running' && <Progress progress={findProgress(messages, call)} />}
      {call?.state === 'failed' && (
        <p className="note problem" role="alert">
          {call.problem}
        </p>
      )}
      {call?.state === 'ended' && <CallResult {...call.result} />}
      <Definition tool={tool} />
    </div>
  );
}

function Progress({ progress: reported }: { progress: CallProgress | undefined }) {
  const { progress = 0, total, message } = reported ?? {};
  return (
    <p className="mcp-progress" role="status">
      <progress
        value={total === undefined ? undefined : progress}
        max={total}
        aria-label="Progress of the call"
      />
      {reported === undefined ? 'Running …' : total === undefined ? progress : `${progress} of ${total}`}
      {message !== undefined && ` – ${message}`}
    </p>
  );
}

function CallResult({ isError, duration, structured, result }: ToolCallResult) {
  const status = useRef<HTMLParagraphElement>(null);
  // A long form hides what follows it.
  useEffect(() => void status.current?.scrollIntoView({ block: 'start' }), [result]);
  return (
    <>
      <p ref={status} role="status" className={isError ? 'note problem' : undefined}>
        {isError ? 'Failed' : 'Succeeded'} after {duration} ms
      </p>
      {structured !== undefined && (
        <p className={structured.problem === undefined ? 'hint' : 'note problem'}>
          {structured.problem === undefined
            ? 'The structured content matches the output schema.'
            : `The structured content does not match the output schema: ${structured.problem}`}
        </p>
      )}
      <ToolOutput output={result} name="the call" />
      {typeof result === 'object' && <JsonTree value={result} label="Response of the server" />}
    </>
  );
}

const Definition = ({ tool: { inputSchema, outputSchema, annotations, meta } }: { tool: InspectedTool }) => (
  <details>
    <summary>Schema, hints and metadata</summary>
    <JsonTree
      value={{ inputSchema, outputSchema, annotations, _meta: meta }}
      label="Definition of the tool"
    />
  </details>
);
