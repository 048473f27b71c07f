import type { ToolUIPart } from 'ai';
import type { ShownMessage } from './use-thread.js';
import { describeStreamProblem } from '../traces/stream-problem.js';
import type { Trace } from '../../shared/trace.js';
import { formatDuration, formatNumberOf } from '../ui/format.js';
import { Markdown } from '../ui/markdown.js';
import { groupParts } from './group-parts.js';
import { Reasoning } from './reasoning.js';
import { toCallState, ToolGroup, ToolPart, type ToolPartProps } from './tool-part.js';
import { memo } from 'react';
import { formatCost, toTurnUsages } from '../../shared/cost.js';
import type { PriceTable } from '../../shared/playground-state.js';
import { toMarkdown } from './conversation-markdown.js';
import type { PendingRequest } from '../../shared/mcp-inspection.js';
import { ServerRequest } from '../mcp/server-request.js';
import { ApprovalCard } from './approval-prompt.js';
import { CopyButton } from '../ui/copy-button.js';
import { MessageVersions } from './message-versions.js';
import { StructuredOutput } from './structured-output.js';
import { type MessageActions, UserMessage } from './user-message.js';
import { getToolName, isToolUIPart } from './tool-parts.js';
import { Problem } from '../ui/problem.js';

export interface MessageViewProps {
  readonly shown: ShownMessage;
  readonly isSelected: boolean;
  /** False while a turn of the thread runs. */
  readonly canChange: boolean;
  readonly prices: PriceTable;
  /** Requests of MCP servers that wait for the user. */
  readonly requests: readonly PendingRequest[];
  /** The title of the chat. */
  readonly place: string | undefined;
  readonly onInspect: (messageId: string) => void;
  readonly actions: MessageActions;
}

/** A user message, or a response with its reasoning, tool calls and text in order. */
export const MessageView = memo(function MessageView({
  shown,
  isSelected,
  canChange,
  prices,
  requests,
  place,
  onInspect,
  actions,
}: MessageViewProps) {
  const { message, trace, isRunning } = shown;
  if (message.role === 'user') return <UserMessage shown={shown} canChange={canChange} actions={actions} />;
  const lastText = message.parts.findLast(({ type }) => type === 'text');
  const openApprovals = (trace?.approvals ?? []).filter(
    ({ decidedAt }) => decidedAt === undefined && trace?.end === undefined,
  );
  const calls = new Set<string | undefined>(
    message.parts.flatMap(part => (isToolUIPart(part) ? part.toolCallId : [])),
  );
  const toCall = (part: ToolUIPart): ToolPartProps => {
    const { toolCallId } = part;
    const tool = trace?.tools.find(known => known.toolCallId === toolCallId);
    const isWaiting = openApprovals.some(approval => approval.toolCallId === toolCallId);
    const state = toCallState({ part, tool, isWaiting, hasEnded: !isRunning });
    const editedInput = trace?.approvals.find(approval => approval.toolCallId === toolCallId)?.editedInput;
    return { part, name: getToolName(part), tool, state, editedInput, isLive: isRunning };
  };
  return (
    <article
      className="message assistant"
      aria-label="Response"
      data-id={message.id}
      data-end={isRunning ? undefined : trace?.end?.end}
    >
      {groupParts(message.parts, { isRunning }).map((part, index) => {
        if ('calls' in part) return <ToolGroup key={index} calls={part.calls.map(toCall)} />;
        if ('thoughts' in part) return <Reasoning key={index} texts={part.thoughts} isRunning={false} />;
        if (isToolUIPart(part)) return <ToolPart key={index} {...toCall(part)} />;
        if (part.type === 'text' && trace?.hasSchema === true && part === lastText) {
          return <StructuredOutput key={index} text={part.text} trace={trace} />;
        }
        if (part.type === 'text') {
          const isGrowing = isRunning && part.state === 'streaming';
          return <Markdown key={index} text={part.text} isGrowing={isGrowing} />;
        }
        if (part.type === 'reasoning') return <Reasoning key={index} texts={[part.text]} isRunning />;
        return null;
      })}
      {openApprovals.length > 0 && <ApprovalCard approvals={openApprovals} />}
      {requests
        .filter(({ toolCallId }) => calls.has(toolCallId))
        .map(request => (
          <ServerRequest key={request.id} request={request} place={place} />
        ))}
      <TurnNote trace={trace} />
      <MessageVersions shown={shown} onShow={actions.show} />
      {trace !== undefined && (
        <footer className="message-footer">
          <button
            type="button"
            className="turn-summary"
            aria-pressed={isSelected}
            onClick={() => onInspect(message.id)}
          >
            {describeTurn(trace, prices)}
          </button>
          {!isRunning && <CopyButton label="Copy the response" text={() => toMarkdown(message)} />}
        </footer>
      )}
    </article>
  );
});

function describeTurn(trace: Trace, prices: PriceTable): string {
  const { flag, modelId, rounds, tools, end, isRecordingDeleted } = trace;
  const usages = toTurnUsages(trace);
  return [
    flag,
    modelId,
    formatNumberOf(rounds.length, 'round'),
    tools.length > 0 && formatNumberOf(tools.length, 'tool call'),
    end !== undefined && formatDuration(end.at),
    end !== undefined && usages.length > 0 && formatCost(usages, prices),
    isRecordingDeleted && 'recording deleted',
  ]
    .filter(Boolean)
    .join(' · ');
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
      {end?.end === 'failed' && <Problem>{end.message ?? 'The turn failed.'}</Problem>}
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
