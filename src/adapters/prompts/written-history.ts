import type {
  AssistantMessage,
  FilePart,
  Message,
  Prompt,
  ToolCallPart,
  ToolPart,
  ToolResultOutput,
  UserPart,
} from '../../core/prompt.js';
import { toDeniedText } from '../../core/output.js';
import { objectOf, tryParseJson } from '../../shared/json.js';
import { pairToolCalls } from '../../tool-calls/call-pairing.js';
import { appendToUser } from './messages.js';
import { toJson } from './values.js';
import type { PromptCall, PromptWriter } from './tool-prompt.js';

/**
 * Writes the calls and results of a history as text. Results become user messages, because endpoints without tools have
 * no role for them. Images and files in results become parts of these messages.
 *
 * @param keepOrphans True if the server stores the history, so that results occur without their calls.
 */
export function writeHistory(
  prompt: Prompt,
  writer: PromptWriter,
  { keepOrphans }: { keepOrphans: boolean },
): Prompt {
  const written: Message[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (id: string): number => numbers.get(id) ?? numbers.set(id, numbers.size).size - 1;
  // The results of the previous message are joined with the next user message, as many endpoints require alternation.
  let areResults = false;
  for (const message of pairToolCalls(prompt, { isFunctionTool: () => true, keepOrphans })) {
    if (message.role === 'tool') {
      // Answers to requests for approval are for layers that run tools.
      if (!message.content.some(({ type }) => type === 'tool-result')) continue;
      appendToUser(written, writeResults(message.content, { writer, numberOf }));
      areResults = true;
      continue;
    }
    if (message.role === 'user' && areResults) appendToUser(written, message.content);
    else written.push(message.role === 'assistant' ? writeCalls(message, { writer, numberOf }) : message);
    areResults = false;
  }
  return written;
}

/** The writer of a conversation, and the numbers of its calls. */
interface HistoryContext {
  readonly writer: PromptWriter;
  numberOf(id: string): number;
}

function writeCalls(message: AssistantMessage, { writer, numberOf }: HistoryContext): AssistantMessage {
  const calls = message.content.filter(part => part.type === 'tool-call');
  if (calls.length === 0) return message;
  const rest = message.content.filter(part => part.type !== 'tool-call');
  const texts = rest.filter(part => part.type === 'text').map(({ text }) => text);
  const text = writer.write(
    texts.filter(part => part !== '').join('\n'),
    calls.map(call => toPromptCall(call, numberOf(call.toolCallId))),
  );
  // Item ids and similar options belong to the parts that the server returned, not to this text.
  return {
    role: 'assistant',
    content: [...rest.filter(part => part.type !== 'text'), { type: 'text', text }],
  };
}

const toPromptCall = ({ toolCallId, toolName, input }: ToolCallPart, number: number): PromptCall => ({
  number,
  id: toolCallId,
  name: toolName,
  input: objectOf(typeof input === 'string' ? tryParseJson(input) : input) ?? {},
});

function writeResults(parts: readonly ToolPart[], { writer, numberOf }: HistoryContext): UserPart[] {
  const results = parts.filter(part => part.type === 'tool-result');
  const text = writer.results(
    results.map(({ toolCallId, toolName, output }) => ({
      id: toolCallId,
      name: toolName,
      number: numberOf(toolCallId),
      text: toText(output),
    })),
  );
  return [{ type: 'text', text }, ...results.flatMap(({ output }) => toFiles(output))];
}

function toText(output: ToolResultOutput): string {
  switch (output.type) {
    case 'text':
      return output.value;
    case 'error-text':
      return `Error: ${output.value}`;
    case 'execution-denied':
      return `Error: ${toDeniedText(output)}`;
    case 'json':
      return toJson(output.value);
    case 'error-json':
      return `Error: ${toJson(output.value)}`;
    case 'content':
      return output.value
        .flatMap(part => {
          if (part.type === 'text') return [part.text];
          return part.type === 'file' ? [`[${part.mediaType}, attached to this message]`] : [];
        })
        .join('\n');
  }
}

const toFiles = (output: ToolResultOutput): FilePart[] =>
  output.type !== 'content'
    ? []
    : output.value.flatMap(part =>
        part.type === 'file' ? [{ type: 'file', data: part.data, mediaType: part.mediaType }] : [],
      );
