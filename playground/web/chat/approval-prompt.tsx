import { useRef, useState } from 'react';
import type { Approval } from '../../shared/trace.js';
import { callApi } from '../page/api.js';
import { focusCall } from './reveal-call.js';
import { JsonView } from '../ui/json-view.js';

/** Asks for the approval of a tool call. The model receives the reason of a rejection. */
export function ApprovalPrompt({ approval }: { approval: Approval }) {
  const { approvalId, toolCallId, originalName, server, input } = approval;
  const prompt = useRef<HTMLDivElement>(null);
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [reason, setReason] = useState('');

  const decide = async (approved: boolean): Promise<void> => {
    setSent(true);
    // The prompt disappears, and with it the focus. No button gets it: the next key must not decide about another call.
    const neighbours = [prompt.current?.nextElementSibling, prompt.current?.previousElementSibling];
    const other = neighbours.find(element => element?.matches('[role="alertdialog"]'));
    if (other instanceof HTMLElement) other.focus();
    else focusCall(toolCallId);
    const body = { approved, ...(!approved && { reason: reason.trim() || 'The user rejected this call.' }) };
    try {
      await callApi(`/approvals/${approvalId}`, { method: 'POST', body });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
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
        with these arguments?
      </p>
      <JsonView value={input} label={`Arguments of ${originalName}`} />
      <input
        className="input"
        aria-label="Reason for a rejection"
        placeholder="Reason, if you reject it (the model receives it)"
        value={reason}
        onChange={event => setReason(event.target.value)}
      />
      <div className="button-row">
        <button type="button" className="button primary" disabled={isSent} onClick={() => void decide(true)}>
          Allow
        </button>
        <button type="button" className="button" disabled={isSent} onClick={() => void decide(false)}>
          Reject
        </button>
      </div>
      {problem !== undefined && (
        <p className="note problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
