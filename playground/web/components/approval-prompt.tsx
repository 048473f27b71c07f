import { useState } from 'react';
import type { Approval } from '../../shared/trace.js';
import { callApi } from '../lib/api.js';
import { JsonView } from './json-view.js';

/** Asks whether a tool may run. The model reads the reason of a refusal. */
export function ApprovalPrompt({ approval }: { approval: Approval }) {
  const { approvalId, toolName, input } = approval;
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState<string>();

  const decide = async (approved: boolean): Promise<void> => {
    setSent(true);
    const body = { approved, ...(!approved && { reason: 'The user said no.' }) };
    try {
      await callApi(`/approvals/${approvalId}`, { method: 'POST', body });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="approval" role="alertdialog" aria-label={`May ${toolName} run?`}>
      <p>
        May <code>{toolName}</code> run with these arguments?
      </p>
      <JsonView value={input} label={`Arguments of ${toolName}`} />
      <div className="button-row">
        <button type="button" className="button primary" disabled={isSent} onClick={() => void decide(true)}>
          Allow
        </button>
        <button type="button" className="button" disabled={isSent} onClick={() => void decide(false)}>
          Refuse
        </button>
      </div>
      {problem !== undefined && <p className="note problem">{problem}</p>}
    </div>
  );
}
