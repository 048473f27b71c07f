import { getToolName, isToolUIPart } from 'ai';
import type { PlaygroundMessage } from '../../shared/playground-state.js';
import type { Trace } from '../../shared/trace.js';
import { formatDuration, formatNumberOf } from '../lib/format.js';
import { ApprovalPrompt } from './approval-prompt.js';
import { Markdown } from './markdown.js';
import { ReasoningPart } from './reasoning-part.js';
import { ToolPart } from './tool-part.js';
import { TurnNote } from './turn-note.js';

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
