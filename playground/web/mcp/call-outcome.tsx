import { useEffect, useRef, useState } from 'react';
import type { CallProgress, ToolCallResult } from '../../shared/mcp-inspection.js';
import { callApi } from '../page/api.js';
import { formatDuration } from '../ui/format.js';
import { JsonTree } from '../ui/json-tree.js';
import { ToolOutput } from '../ui/tool-output-view.js';
import { Problem } from '../ui/problem.js';
import { describeFailure } from '../../shared/failure.js';

export interface CallStatusProps {
  readonly progress: CallProgress | undefined;
  /** The tool whose call has to end before this one is sent. */
  readonly blocker: string | undefined;
}

/** The progress of a call, or the reason why it waits. */
export function CallStatus({ progress: reported, blocker }: CallStatusProps) {
  const { progress = 0, total, message } = reported ?? {};
  if (blocker !== undefined) {
    return (
      <p className="mcp-progress" role="status">
        Waiting for the end of the call of “{blocker}”. A server over stdio or SSE receives one call at a
        time, because its requests to you do not name the call that they belong to.
      </p>
    );
  }
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

/** @param state The end of a task. @default the call has succeeded or failed */
export function CallResult({
  path,
  state,
  number,
  isError,
  isRedacted,
  duration,
  structured,
  unchecked,
  result: redacted,
}: ToolCallResult & { path: string; state?: string }) {
  const [secrets, setSecrets] = useState<{ readonly number: number; readonly result: unknown }>();
  const [problem, setProblem] = useState<string>();
  const result = secrets?.number === number ? secrets.result : redacted;
  const status = useRef<HTMLParagraphElement>(null);
  // A long form hides what follows it.
  useEffect(() => void status.current?.scrollIntoView({ block: 'nearest' }), [redacted]);
  const showSecrets = (): void => {
    callApi<{ result: unknown }>(`${path}/history/${number}/secrets`).then(
      ({ result: shown }) => setSecrets({ number, result: shown }),
      (error: unknown) => setProblem(describeFailure(error)),
    );
  };
  return (
    <>
      <p ref={status} role="status" className={isError ? 'note problem' : undefined}>
        {state ?? (isError ? 'Failed' : 'Succeeded')} after{' '}
        {state === undefined ? `${duration} ms` : formatDuration(duration)}
      </p>
      {unchecked !== undefined && (
        <p className="note warning">The arguments were sent without a check. {unchecked}</p>
      )}
      {structured !== undefined && (
        <p className={structured.problem === undefined ? 'hint' : 'note problem'}>
          {structured.problem === undefined
            ? 'The structured content matches the output schema.'
            : `The structured content does not match the output schema: ${structured.problem}`}
        </p>
      )}
      {isRedacted && secrets?.number !== number && (
        <div className="button-row">
          <span className="hint">Secrets are replaced by [redacted].</span>
          <button type="button" className="button subtle" onClick={showSecrets}>
            Show secrets
          </button>
        </div>
      )}
      <Problem>{problem}</Problem>
      <ToolOutput output={result} name="the call" />
      {typeof result === 'object' && <JsonTree value={result} label="Response of the server" />}
    </>
  );
}
