import { useRef, useState } from 'react';
import type { Approval } from '../../shared/trace.js';
import { callApi, toSchemaProblems } from '../page/api.js';
import { CodeField } from '../ui/field.js';
import { readJson } from '../ui/json-text.js';
import { forgetInput, useKept } from '../page/kept-input.js';
import { JsonView } from '../ui/json-view.js';
import { focusCall } from './reveal-call.js';
import { Problem } from '../ui/problem.js';

interface Decision {
  readonly approved: boolean;
  readonly reason?: string;
  readonly input?: unknown;
  readonly scope?: 'chat' | 'always';
  readonly isConfirmed?: boolean;
}

const decide = ({ approvalId }: Approval, body: Decision): Promise<unknown> =>
  callApi(`/approvals/${approvalId}`, { method: 'POST', body });

/** The calls of a response that wait for approval, each with its own choice. */
export function ApprovalCard({ approvals }: { approvals: readonly Approval[] }) {
  const [problem, setProblem] = useState<string>();
  const allowAll = async (): Promise<void> => {
    const results = await Promise.allSettled(approvals.map(approval => decide(approval, { approved: true })));
    const failed = results.find(({ status }) => status === 'rejected');
    setProblem(failed === undefined ? undefined : String((failed as PromiseRejectedResult).reason));
  };
  return (
    <div className="approvals" role="group" aria-label="Calls that wait for approval">
      {approvals.length > 1 && (
        <div className="button-row">
          <span>{approvals.length} calls wait for your approval.</span>
          <button type="button" className="button primary" onClick={() => void allowAll()}>
            Allow all ({approvals.length})
          </button>
        </div>
      )}
      <Problem>{problem}</Problem>
      {approvals.map(approval => (
        <ApprovalPrompt key={approval.approvalId} approval={approval} isOnly={approvals.length === 1} />
      ))}
    </div>
  );
}

/** Asks for the approval of a tool call. The model receives the reason of a rejection. */
function ApprovalPrompt({ approval, isOnly }: { approval: Approval; isOnly: boolean }) {
  const {
    toolCallId,
    originalName,
    server,
    description,
    isDestructive = false,
    isUntrusted,
    input,
  } = approval;
  const prompt = useRef<HTMLDivElement>(null);
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [reason, setReason] = useKept(`reason ${approval.approvalId}`, () => '');
  /** The changed arguments as JSON, while they are edited. */
  const [text, setText] = useKept<string | undefined>(`arguments ${approval.approvalId}`, () => undefined);
  const [isConfirming, setConfirming] = useState(false);

  const send = async (decision: Decision): Promise<void> => {
    const edited = text === undefined ? undefined : readJson(text);
    if (decision.approved && edited?.problem !== undefined) return setProblem(edited.problem);
    const isChanged =
      decision.approved && edited !== undefined && JSON.stringify(edited.value) !== JSON.stringify(input);
    setSent(true);
    setProblem(undefined);
    // The prompt disappears, and with it the focus. No button gets it: the next key must not decide about another call.
    const neighbours = [prompt.current?.nextElementSibling, prompt.current?.previousElementSibling];
    const other = neighbours.find(element => element?.matches('[role="alertdialog"]'));
    try {
      const deciding = decide(approval, { ...decision, ...(isChanged && { input: edited.value }) });
      if (text === undefined) {
        if (other instanceof HTMLElement) other.focus();
        else focusCall(toolCallId);
      }
      await deciding;
      forgetInput(`reason ${approval.approvalId}`, `arguments ${approval.approvalId}`);
    } catch (error) {
      const problems = toSchemaProblems(error);
      setProblem(
        problems === undefined
          ? error instanceof Error
            ? error.message
            : String(error)
          : `The arguments do not match the schema of the tool. ${problems
              .map(({ path, message }) => `${path.join('.')}: ${message}`)
              .join('. ')}.`,
      );
      setSent(false);
    }
  };
  return (
    <div
      ref={prompt}
      className="approval"
      role="alertdialog"
      aria-label={`Allow ${originalName} to run?`}
      tabIndex={-1}
    >
      <p>
        Allow <code>{originalName}</code> {server !== undefined && `of the MCP server “${server}” `}to run
        with these arguments?{' '}
        {isDestructive && (
          <span className="tag" data-hint="destructive">
            destructive
          </span>
        )}
        {isUntrusted && <span className="tag">hints not trusted</span>}
      </p>
      {description !== undefined && <p className="hint">{description}</p>}
      {isUntrusted && (
        <p className="hint">
          The server says what this tool changes. It is not trusted to say so: its configuration has no{' '}
          <code>trustAnnotations</code>.
        </p>
      )}
      {text === undefined ? (
        <JsonView value={input} label={`Arguments of ${originalName}`} />
      ) : (
        <CodeField
          label={`New arguments of ${originalName}`}
          problem={problem}
          rows={Math.min(16, text.split('\n').length + 1)}
          value={text}
          onChange={setText}
        />
      )}
      <input
        className="input"
        aria-label="Reason for a rejection"
        placeholder="Reason, if you reject it (the model receives it)"
        value={reason}
        onChange={event => setReason(event.target.value)}
      />
      <div className="button-row">
        <button
          type="button"
          className={isOnly ? 'button primary' : 'button'}
          disabled={isSent}
          onClick={() => void send({ approved: true })}
        >
          Allow
        </button>
        <button
          type="button"
          className="button"
          disabled={isSent}
          onClick={() =>
            void send({ approved: false, reason: reason.trim() || 'The user rejected this call.' })
          }
        >
          Reject
        </button>
        <button
          type="button"
          className="button subtle"
          disabled={isSent}
          onClick={() => {
            setProblem(undefined);
            setText(text === undefined ? JSON.stringify(input, null, 2) : undefined);
          }}
        >
          {text === undefined ? 'Edit arguments' : 'Keep the arguments'}
        </button>
        <button
          type="button"
          className="button subtle"
          disabled={isSent}
          onClick={() => void send({ approved: true, scope: 'chat' })}
        >
          Allow for this chat
        </button>
        <button
          type="button"
          className={isConfirming ? 'button danger' : 'button subtle'}
          disabled={isSent}
          onClick={() => {
            if (isDestructive && !isConfirming) return setConfirming(true);
            void send({ approved: true, scope: 'always', ...(isConfirming && { isConfirmed: true }) });
          }}
        >
          {isConfirming ? 'Always allow, although it can destroy data' : 'Always allow'}
        </button>
      </div>
      {problem !== undefined && text === undefined && <Problem>{problem}</Problem>}
    </div>
  );
}
