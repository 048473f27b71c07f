import { useState } from 'react';
import type { Approval } from '../../shared/trace.js';
import { callApi } from '../lib/api.js';
import { JsonView } from './json-view.js';

/** Asks for the approval of a tool call. The model receives the reason of a rejection. */
export function ApprovalPrompt({ approval }: { approval: Approval }) {
  const { approvalId, originalName, server, input } = approval;
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [reason, setReason] = useState('');

  const decide = async (approved: boolean): Promise<void> => {
    setSent(true);
    const body = { approved, ...(!approved && { reason: reason.trim() || 'The user rejected this call.' }) };
    try {
      await callApi(`/approvals/${approvalId}`, { method: 'POST', body });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="approval" role="alertdialog" aria-label={`Allow ${originalName} to run?`}>
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
      {problem !== undefined && <p className="note problem">{problem}</p>}
    </div>
  );
}
