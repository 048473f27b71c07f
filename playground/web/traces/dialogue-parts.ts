import type { ToolUIPart } from 'ai';
import { type PlaygroundMessage, readText } from '../../shared/playground-state.js';
import type { Trace } from '../../shared/trace.js';
import { isToolUIPart } from '../chat/tool-parts.js';

type Part = PlaygroundMessage['parts'][number];

export interface Dialogue {
  /** Calls, reasoning, and texts between them. */
  readonly steps: readonly Part[];
  /** The text after the last of them. */
  readonly answer: string;
  /** The number of calls. */
  readonly calls: number;
}

/** Divides a response into what led to the answer, and the answer. */
export function toDialogue({ parts }: Pick<PlaygroundMessage, 'parts'>, { tools }: Trace): Dialogue {
  const own = parts.map(toNamedCall);
  const hasCalls = own.some(isToolUIPart);
  // Spans have the last text and the times of calls only.
  const all: readonly Part[] = hasCalls ? own : [...tools.map(toCall), ...own];
  const start = all.findLastIndex(part => isToolUIPart(part) || part.type === 'reasoning') + 1;
  return {
    steps: all.slice(0, start),
    answer: readText({ parts: all.slice(start) }).trim(),
    calls: all.filter(isToolUIPart).length,
  };
}

/** Applications have tools that the playground does not know. */
const toNamedCall = (part: Part): Part =>
  part.type === 'dynamic-tool' ? ({ ...part, type: `tool-${part.toolName}` } as ToolUIPart) : part;

const toCall = ({ toolCallId, toolName, input = '' }: Trace['tools'][number]): ToolUIPart => ({
  type: `tool-${toolName}`,
  toolCallId,
  state: 'input-available',
  input: readInput(input),
});

function readInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
