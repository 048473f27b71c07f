import type { ToolUIPart } from 'ai';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { TraceTool } from '../../shared/trace.js';
import { previewArguments } from '../ui/argument-preview.js';
import { formatDuration } from '../ui/format.js';
import { ToolMedia, ToolOutput } from '../ui/tool-output-view.js';
import { Icon } from '../ui/icon.js';
import { JsonTree } from '../ui/json-tree.js';

const ToolApp = lazy(async () => ({ default: (await import('../mcp/tool-app.js')).ToolApp }));

const stateNames = {
  waiting: 'waiting for approval',
  queued: 'waiting',
  running: 'running',
  failed: 'failed',
  stopped: 'stopped',
  done: 'done',
} as const;

type CallState = keyof typeof stateNames;

export interface ToolPartProps {
  readonly part: ToolUIPart;
  readonly name: string;
  readonly tool: TraceTool | undefined;
  readonly state: CallState;
  /** Arguments that the user has changed, with which the call ran. */
  readonly editedInput?: unknown;
  /** False in a turn that has ended, whose apps are shown on demand. */
  readonly isLive: boolean;
}

/**
 * A tool call: name, state, arguments in one line and duration, with arguments and result in its details. After the call,
 * the app of its tool is below.
 */
export function ToolPart({ part, name, tool, state, editedInput, isLive }: ToolPartProps) {
  const [isOpen, setOpen] = useState(false);
  /** An app that was shown during the turn stays. */
  const [wasLive] = useState(isLive);
  const input = editedInput ?? part.input;
  const app = part.state === 'output-available' || part.state === 'output-error' ? tool?.app : undefined;
  return (
    <>
      <details
        className="tool-part"
        data-state={state}
        id={`tool-${part.toolCallId}`}
        onToggle={event => setOpen(event.currentTarget.open)}
      >
        <ToolSummary
          name={name}
          state={editedInput === undefined ? stateNames[state] : `${stateNames[state]}, changed by you`}
          input={input}
          duration={tool?.endAt === undefined ? undefined : tool.endAt - tool.startAt}
        >
          {tool?.progress?.share !== undefined && state === 'running' && (
            <progress value={tool.progress.share} aria-label={`Progress of ${name}`} />
          )}
        </ToolSummary>
        {isOpen && <ToolDetails part={part} name={name} editedInput={editedInput} />}
      </details>
      {/* The open row contains them among the texts of the result. */}
      {!isOpen && part.state === 'output-available' && <ToolMedia output={part.output} name={name} />}
      {app !== undefined && (
        <Suspense fallback={null}>
          <ToolApp
            server={app.server}
            name={app.tool}
            input={input as object}
            output={part.output ?? part.errorText}
            isError={state === 'failed'}
            isOnDemand={!wasLive}
          />
        </Suspense>
      )}
    </>
  );
}

/** Consecutive calls of one tool as one line, which contains them. */
export function ToolGroup({ calls }: { calls: readonly ToolPartProps[] }) {
  const [isOpen, setOpen] = useState(false);
  const [first] = calls;
  if (first === undefined) return null;
  const states = (Object.keys(stateNames) as CallState[])
    .map(state => ({ state, count: calls.filter(call => call.state === state).length }))
    .filter(({ count }) => count > 0);
  const tools = calls.flatMap(({ tool }) => tool ?? []);
  const ends = tools.flatMap(({ endAt }) => endAt ?? []);
  const hasTimes = ends.length === calls.length;
  return (
    <>
      <details
        className="tool-part"
        data-state={states[0]?.state}
        onToggle={event => setOpen(event.currentTarget.open)}
      >
        <ToolSummary
          name={first.name}
          count={calls.length}
          state={states
            .map(({ state, count }) =>
              states.length === 1 ? stateNames[state] : `${count} ${stateNames[state]}`,
            )
            .join(', ')}
          input={first.part.input}
          duration={
            hasTimes ? Math.max(...ends) - Math.min(...tools.map(({ startAt }) => startAt)) : undefined
          }
        />
        <div className="tool-calls">
          {calls.map(call => (
            <ToolPart key={call.part.toolCallId} {...call} isLive={false} />
          ))}
        </div>
      </details>
      {!isOpen &&
        calls.map(({ part, name }) =>
          part.state === 'output-available' ? (
            <ToolMedia key={part.toolCallId} output={part.output} name={name} />
          ) : null,
        )}
    </>
  );
}

interface ToolSummaryProps {
  readonly name: string;
  /** Number of calls. @default 1 */
  readonly count?: number;
  readonly state: string;
  /** Arguments of the call, or of the first one. */
  readonly input: unknown;
  /** Milliseconds. */
  readonly duration: number | undefined;
  readonly children?: ReactNode;
}

function ToolSummary({ name, count = 1, state, input, duration, children }: ToolSummaryProps) {
  const preview = previewArguments(input);
  return (
    <summary>
      <Icon name="tool" />
      <code>{name}</code>
      {count > 1 && <span>× {count}</span>}
      <span className="tool-state">{state}</span>
      <span className="tool-preview" title={preview}>
        {preview}
        {count > 1 && preview !== '' && ' …'}
      </span>
      {children}
      {duration !== undefined && <span className="tool-time">{formatDuration(duration)}</span>}
      <Icon name="chevron" />
    </summary>
  );
}

function ToolDetails({ part, name, editedInput }: Pick<ToolPartProps, 'part' | 'name' | 'editedInput'>) {
  return (
    <>
      {editedInput !== undefined && (
        <>
          <h3>Arguments that you have changed, with which the call ran</h3>
          <JsonTree value={editedInput} label={`Changed arguments of ${name}`} />
        </>
      )}
      <h3>{editedInput === undefined ? 'Arguments' : 'Arguments of the model'}</h3>
      <JsonTree value={part.input ?? {}} label={`Arguments of ${name}`} />
      {part.state === 'output-available' && (
        <>
          <h3>Result</h3>
          <ToolOutput output={part.output} name={name} />
        </>
      )}
      {part.state === 'output-error' && (
        <>
          <h3>Error</h3>
          <p className="note problem">{part.errorText}</p>
        </>
      )}
    </>
  );
}

export interface CallStateOptions extends Pick<ToolPartProps, 'part' | 'tool'> {
  /** True while the call waits for approval. */
  readonly isWaiting: boolean;
  /** True after the end of the turn. */
  readonly hasEnded: boolean;
}

export function toCallState({ part, tool, isWaiting, hasEnded }: CallStateOptions): CallState {
  if (part.state === 'output-error') return 'failed';
  if (part.state === 'output-available') return tool?.state === 'failed' ? 'failed' : 'done';
  if (hasEnded) return 'stopped';
  if (isWaiting) return 'waiting';
  // A call that has not started waits for another one.
  return tool === undefined ? 'queued' : 'running';
}
