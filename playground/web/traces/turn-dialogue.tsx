import type { ToolUIPart } from 'ai';
import type { PlaygroundMessage } from '../../shared/playground-state.js';
import type { Trace, TraceTool } from '../../shared/trace.js';
import { groupParts } from '../chat/group-parts.js';
import { Reasoning } from '../chat/reasoning.js';
import { toCallState, ToolGroup, ToolPart, type ToolPartProps } from '../chat/tool-part.js';
import { getToolName, isToolUIPart } from '../chat/tool-parts.js';
import { formatNumberOf } from '../ui/format.js';
import { Markdown } from '../ui/markdown.js';
import { toDialogue } from './dialogue-parts.js';

export interface TurnDialogueProps {
  readonly question: string;
  readonly message: PlaygroundMessage;
  readonly trace: Trace;
}

/** Shows the prompt of a turn, its calls with their results, and its answer. */
export function TurnDialogue({ question, message, trace }: TurnDialogueProps) {
  const hasEnded = trace.end !== undefined;
  const { steps, answer, calls } = toDialogue(message, trace);
  const toCall = (part: ToolUIPart): ToolPartProps => {
    const tool = trace.tools.find(({ toolCallId }) => toolCallId === part.toolCallId);
    return { part, name: getToolName(part), tool, state: toState(part, tool, { hasEnded }), isLive: false };
  };
  return (
    <section className="turn-dialogue" aria-label="Prompt, calls and answer">
      <h3>Prompt</h3>
      {question === '' ? (
        <p className="quiet">The application sent no text of a user.</p>
      ) : (
        <div className="message user" role="region" aria-label="Prompt" tabIndex={0}>
          {question}
        </div>
      )}
      {steps.length > 0 && (
        <>
          <h3>{calls === 0 ? 'Reasoning' : formatNumberOf(calls, 'call')}</h3>
          {groupParts(steps, { isRunning: false }).map((part, index) => {
            if ('calls' in part) return <ToolGroup key={index} calls={part.calls.map(toCall)} />;
            if ('thoughts' in part) return <Reasoning key={index} texts={part.thoughts} isRunning={false} />;
            if (isToolUIPart(part)) return <ToolPart key={index} {...toCall(part)} />;
            return part.type === 'text' ? <Markdown key={index} text={part.text} /> : null;
          })}
        </>
      )}
      <h3>Answer</h3>
      {answer !== '' ? (
        <div className="answer" role="region" aria-label="Answer" tabIndex={0}>
          <Markdown text={answer} />
        </div>
      ) : (
        <p className="quiet">{hasEnded ? 'The turn ended without a text.' : 'Not written yet.'}</p>
      )}
      {trace.end?.message !== undefined && <p className="note problem">{trace.end.message}</p>}
    </section>
  );
}

/** A call of which only the times are known has the state that they say. */
function toState(
  part: ToolUIPart,
  tool: TraceTool | undefined,
  { hasEnded }: { hasEnded: boolean },
): ToolPartProps['state'] {
  if (part.state === 'input-available' && tool !== undefined) return tool.state;
  return toCallState({ part, tool, isWaiting: false, hasEnded });
}
