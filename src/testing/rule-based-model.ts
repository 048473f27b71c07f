import type { AnswerItem } from './answers.js';
import { chooseTools, isSequential, type WantedTool } from './choose-tools.js';
import { describeContent, isFailure } from './describe-content.js';
import { fillSchema } from './fill-schema.js';
import { readTurn, type Turn } from './read-turn.js';
import type { ResponsesRequest } from './to-request.js';
import { createValuePool } from './value-pool.js';

/**
 * The emulator's "model": a request in, output items out, always the same for the same request.
 *
 * It calls the tools that the user's last message asks for and then tells what they gave. Several tools are called
 * at once, unless `parallel_tool_calls` is off or the message says "then" or "one after another".
 */
export function answerByRules(request: ResponsesRequest): AnswerItem[] {
  const turn = readTurn(request.items);
  const calls = planCalls(request, turn);
  const answer = calls.length > 0 ? calls.map(toCall) : [toFinalAnswer(request, turn)];
  return request.reasons ? [toReasoning(request, calls), ...answer] : answer;
}

function planCalls({ tools, toolChoice, parallelToolCalls }: ResponsesRequest, turn: Turn): WantedTool[] {
  const [firstTool] = tools;
  if (firstTool === undefined || toolChoice.mode === 'none' || isRefused(turn)) return [];
  const wanted = chooseTools(turn.message, { tools });
  const open = withoutDone(wanted, turn);
  if (toolChoice.mode === 'auto') {
    return parallelToolCalls && !isSequential(turn.message) ? open : open.slice(0, 1);
  }
  // A forced choice leaves no other way than to call, if need be a second time.
  const forced =
    toolChoice.name === undefined ? wanted[0]?.tool : tools.find(tool => tool.name === toolChoice.name);
  const matching = open.filter(({ tool }) => toolChoice.name === undefined || tool.name === toolChoice.name);
  const calls = matching.length > 0 ? matching : [{ tool: forced ?? firstTool, text: turn.message }];
  return parallelToolCalls && !isSequential(turn.message) ? calls : calls.slice(0, 1);
}

/** Takes away what was called in this turn: once for each call, as a message may want a tool twice. */
function withoutDone(wanted: readonly WantedTool[], { calls }: Turn): WantedTool[] {
  const done = calls.map(({ name }) => name);
  return wanted.filter(({ tool }) => {
    const index = done.indexOf(tool.name);
    if (index >= 0) done.splice(index, 1);
    return index < 0;
  });
}

const toCall = ({ tool, text }: WantedTool): AnswerItem => ({
  call: tool.name,
  arguments: JSON.stringify(
    fillSchema({ type: 'object', ...tool.parameters }, { pool: createValuePool(text) }),
  ),
});

function toFinalAnswer({ format }: ResponsesRequest, turn: Turn): AnswerItem {
  if (isRefused(turn)) return { refusal: "I'm sorry, but I can't help with that." };
  if (format !== undefined) {
    return { text: JSON.stringify(fillSchema(format, { pool: createValuePool(turn.message) })) };
  }
  if (turn.calls.length === 0) return { text: `You said: ${turn.description}` };
  return { text: turn.calls.map(describeCall).join('\n') };
}

const isRefused = ({ message }: Turn): boolean => /\brefuse\b/i.test(message);

// Long enough for what a tool usually says, short enough to read.
const maxQuotedCharacters = 2000;

function describeCall({ name, output }: Turn['calls'][number]): string {
  const text = describeContent(output);
  const quoted = text.length > maxQuotedCharacters ? `${text.slice(0, maxQuotedCharacters)}…` : text;
  if (isFailure(output)) return `The tool ${name} failed: ${quoted}`;
  return quoted === '' ? `The tool ${name} answered nothing.` : `The tool ${name} answered: ${quoted}`;
}

function toReasoning({ reasoningSummary }: ResponsesRequest, calls: readonly WantedTool[]): AnswerItem {
  if (!reasoningSummary) return { reasoning: [] };
  const names = calls.map(({ tool }) => tool.name).join(' and ');
  return {
    reasoning:
      calls.length > 0
        ? `**Choosing tools**\n\nThe message asks for something that ${names} can do, so I call ${names}.`
        : '**Answering**\n\nI have what I need, so I answer now.',
  };
}
