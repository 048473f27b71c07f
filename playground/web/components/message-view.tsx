import { getToolName, isToolUIPart } from 'ai';
import type { PlaygroundMessage } from '../../shared/playground-state.js';
import type { Approval, Trace } from '../../shared/trace.js';
import { formatDuration, formatNumberOf } from '../lib/format.js';
import { Markdown } from './markdown.js';
import { ToolPart } from './tool-part.js';
import { Icon } from './icon.js';
import { useState } from 'react';
import { callApi } from '../lib/api.js';
import { JsonView } from './json-view.js';

export interface MessageViewProps {
  readonly message: PlaygroundMessage;
  readonly trace: Trace | undefined;
  readonly isSelected: boolean;
  readonly isRunning: boolean;
  readonly onInspect: () => void;
}

/** One message: what was asked, or an answer with its reasoning, tools and text in their order. */
export function MessageView({ message, trace, isSelected, isRunning, onInspect }: MessageViewProps) {
  if (message.role === 'user') {
    return (
      <article className="message user" aria-label="You">
        {message.parts.map((part, index) => part.type === 'text' && <p key={index}>{part.text}</p>)}
      </article>
    );
  }
  const openApprovals = (trace?.approvals ?? []).filter(
    ({ settledAt }) => settledAt === undefined && trace?.end === undefined,
  );
  return (
    <article className="message assistant" aria-label="Answer" data-selected={isSelected}>
      {message.parts.map((part, index) => {
        if (part.type === 'text') return <Markdown key={index} text={part.text} />;
        if (part.type === 'reasoning') {
          return (
            <ReasoningPart key={index} text={part.text} isRunning={isRunning && part.state === 'streaming'} />
          );
        }
        if (!isToolUIPart(part)) return null;
        const tool = trace?.tools.find(({ toolCallId }) => toolCallId === part.toolCallId);
        return (
          <ToolPart
            key={part.toolCallId}
            part={part}
            name={getToolName(part)}
            tool={tool}
            isWaiting={openApprovals.some(({ toolCallId }) => toolCallId === part.toolCallId)}
            hasEnded={!isRunning}
          />
        );
      })}
      {openApprovals.map(approval => (
        <ApprovalPrompt key={approval.approvalId} approval={approval} />
      ))}
      <TurnNote trace={trace} isRunning={isRunning} />
      {trace !== undefined && (
        <button type="button" className="turn-summary" aria-pressed={isSelected} onClick={onInspect}>
          {describeTurn(trace)}
        </button>
      )}
    </article>
  );
}

function describeTurn({ flag, modelId, rounds, tools, end }: Trace): string {
  return [
    flag,
    modelId,
    formatNumberOf(rounds.length, 'round'),
    tools.length > 0 && formatNumberOf(tools.length, 'tool call'),
    end !== undefined && formatDuration(end.at),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** What the model thought: open while it thinks, folded afterwards. */
export function ReasoningPart({ text, isRunning }: { text: string; isRunning: boolean }) {
  if (text === '') return null;
  return (
    <details className="reasoning" open={isRunning || undefined}>
      <summary>
        <Icon name="brain" /> {isRunning ? 'Thinking …' : toTitle(text)}
      </summary>
      <Markdown text={text} />
    </details>
  );
}

/** The first line, as models write it: `**Choosing tools**`. */
const toTitle = (text: string): string => text.split('\n')[0]?.replace(/[*#]/g, '').trim() || 'Reasoning';

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

/** How a turn ended that did not end well, and what was warned of. */
export function TurnNote({ trace, isRunning }: { trace: Trace | undefined; isRunning: boolean }) {
  if (trace === undefined) {
    return isRunning ? null : <p className="note">The page was left before this answer was complete.</p>;
  }
  const { end, warnings, exchanges } = trace;
  const isSeenToClose = exchanges.some(({ isHungUp }) => isHungUp);
  return (
    <>
      {warnings.map((warning, index) => (
        <p key={index} className="note warning">
          {warning}
        </p>
      ))}
      {end?.end === 'failed' && (
        <p className="note problem" role="alert">
          {end.message ?? 'The turn failed.'}
        </p>
      )}
      {end?.end === 'stopped' && (
        <p className="note" role="status">
          Stopped.{isSeenToClose && ' The endpoint saw the connection close.'}
        </p>
      )}
    </>
  );
}
