import { getToolName, isToolUIPart } from 'ai';
import type { ShownMessage } from '../hooks/use-thread.js';
import { describeStreamProblem } from '../lib/stream-problem.js';
import type { Approval, Trace } from '../../shared/trace.js';
import { formatDuration, formatNumberOf } from '../lib/format.js';
import { Markdown } from './markdown.js';
import { ToolPart } from './tool-part.js';
import { Icon } from './icon.js';
import { memo, useState } from 'react';
import { callApi } from '../lib/api.js';
import { JsonView } from './json-view.js';

export interface MessageViewProps {
  readonly shown: ShownMessage;
  readonly isSelected: boolean;
  readonly onInspect: (messageId: string) => void;
  /** Shows another version of the message. */
  readonly onShow: (messageId: string) => void;
}

/** A user message, or a response with its reasoning, tool calls and text in order. */
export const MessageView = memo(function MessageView({
  shown,
  isSelected,
  onInspect,
  onShow,
}: MessageViewProps) {
  const { message, trace, isRunning } = shown;
  if (message.role === 'user') {
    return (
      <article className="message user" aria-label="You">
        {message.parts.map((part, index) => part.type === 'text' && <p key={index}>{part.text}</p>)}
      </article>
    );
  }
  const openApprovals = (trace?.approvals ?? []).filter(
    ({ decidedAt }) => decidedAt === undefined && trace?.end === undefined,
  );
  return (
    <article className="message assistant" aria-label="Response" data-selected={isSelected}>
      {message.parts.map((part, index) => {
        if (part.type === 'text') {
          const isGrowing = isRunning && part.state === 'streaming';
          return <Markdown key={index} text={part.text} isGrowing={isGrowing} />;
        }
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
      <TurnNote trace={trace} />
      <Versions shown={shown} onShow={onShow} />
      {trace !== undefined && (
        <button
          type="button"
          className="turn-summary"
          aria-pressed={isSelected}
          onClick={() => onInspect(message.id)}
        >
          {describeTurn(trace)}
        </button>
      )}
    </article>
  );
});

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

/** Reasoning of the model, expanded while it is streamed. */
function ReasoningPart({ text, isRunning }: { text: string; isRunning: boolean }) {
  if (text === '') return null;
  return (
    <details className="reasoning" open={isRunning || undefined}>
      <summary>
        <Icon name="brain" /> {isRunning ? 'Reasoning …' : toTitle(text)}
      </summary>
      <Markdown text={text} isGrowing={isRunning} />
    </details>
  );
}

/** Returns the first line without Markdown: `**Choosing tools**` becomes `Choosing tools`. */
const toTitle = (text: string): string => text.split('\n')[0]?.replace(/[*#]/g, '').trim() || 'Reasoning';

/** Asks for the approval of a tool call. The model receives the reason of a rejection. */
function ApprovalPrompt({ approval }: { approval: Approval }) {
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

/** Warnings of a turn, and the reason if it was stopped or failed. */
function TurnNote({ trace }: { trace: Trace | undefined }) {
  if (trace === undefined) return null;
  const { end, warnings, problems, exchanges } = trace;
  const isNoticed = exchanges.some(({ isDisconnectNoticed }) => isDisconnectNoticed);
  return (
    <>
      {[...warnings, ...problems.map(describeStreamProblem)].map((warning, index) => (
        <p key={index} className="note warning">
          {warning}
        </p>
      ))}
      {end?.end === 'failed' && (
        <p className="note problem" role="alert">
          {end.message ?? 'The turn failed.'}
        </p>
      )}
      {end?.end === 'limit' && (
        <p className="note warning" role="status">
          {end.message}
        </p>
      )}
      {end?.end === 'stopped' && (
        <p className="note" role="status">
          Stopped.{isNoticed && ' The endpoint noticed the closed connection.'}
        </p>
      )}
    </>
  );
}

/** Switches between the versions of a response, and reports an attempt that did not replace it. */
function Versions({
  shown: { message, versions, failedVersion },
  onShow,
}: Pick<MessageViewProps, 'shown' | 'onShow'>) {
  if (versions.length < 2) return null;
  const index = versions.indexOf(message.id);
  const step = (by: number, label: string, text: string) => {
    const target = versions[index + by];
    return (
      <button
        type="button"
        className="icon-button"
        aria-label={label}
        disabled={target === undefined}
        onClick={() => target !== undefined && onShow(target)}
      >
        {text}
      </button>
    );
  };
  return (
    <>
      <div className="versions button-row">
        {step(-1, 'Previous version', '‹')}
        <span>
          {index + 1} of {versions.length}
        </span>
        {step(1, 'Next version', '›')}
      </div>
      {failedVersion !== undefined && (
        <p className="note warning" role="status">
          {failedVersion.end === 'stopped'
            ? 'A new response was stopped. This one is kept.'
            : `A new response failed, and this one is kept. ${failedVersion.message ?? ''}`}{' '}
          <button type="button" className="button subtle" onClick={() => onShow(failedVersion.id)}>
            Show it
          </button>
        </p>
      )}
    </>
  );
}
