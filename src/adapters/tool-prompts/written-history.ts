import type {
  LanguageModelV2FilePart,
  LanguageModelV2Message,
  LanguageModelV2Prompt,
  LanguageModelV2TextPart,
  LanguageModelV2ToolCallPart,
  LanguageModelV2ToolResultPart,
} from '@ai-sdk/provider';
import { objectOf, tryParseJson } from '../../shared/json.js';
import { pairToolCalls } from '../../tool-calls/call-pairing.js';
import { appendToUser } from './messages.js';
import type { PromptCall, ToolPrompt } from './tool-prompt.js';

/**
 * Writes the calls and results of a history as text. Results become user messages, because endpoints without tools have
 * no role for them. Images and files in results become parts of these messages.
 *
 * @param keepOrphans True if the server stores the history, so that results occur without their calls.
 */
export function writeHistory(
  prompt: LanguageModelV2Prompt,
  toolPrompt: ToolPrompt,
  { keepOrphans }: { keepOrphans: boolean },
): LanguageModelV2Prompt {
  const written: LanguageModelV2Message[] = [];
  // The results of the previous message are joined with the next user message, as many endpoints require alternation.
  let areResults = false;
  for (const message of pairToolCalls(prompt, { isFunctionTool: () => true, keepOrphans })) {
    if (message.role === 'tool') {
      appendToUser(written, writeResults(message.content, toolPrompt));
      areResults = true;
      continue;
    }
    if (message.role === 'user' && areResults) appendToUser(written, message.content);
    else written.push(message.role === 'assistant' ? writeCalls(message, toolPrompt) : message);
    areResults = false;
  }
  return written;
}

type AssistantMessage = Extract<LanguageModelV2Message, { role: 'assistant' }>;

function writeCalls(message: AssistantMessage, toolPrompt: ToolPrompt): AssistantMessage {
  const calls = message.content.filter(part => part.type === 'tool-call');
  if (calls.length === 0) return message;
  const rest = message.content.filter(part => part.type !== 'tool-call');
  const texts = rest.filter(part => part.type === 'text').map(({ text }) => text);
  const text = [...texts, toolPrompt.calls(calls.map(toPromptCall))].filter(part => part !== '').join('\n');
  // Item ids and similar options belong to the parts that the server returned, not to this text.
  return {
    role: 'assistant',
    content: [...rest.filter(part => part.type !== 'text'), { type: 'text', text }],
  };
}

const toPromptCall = ({ toolCallId, toolName, input }: LanguageModelV2ToolCallPart): PromptCall => ({
  id: toolCallId,
  name: toolName,
  input: objectOf(typeof input === 'string' ? tryParseJson(input) : input) ?? {},
});

function writeResults(
  results: readonly LanguageModelV2ToolResultPart[],
  toolPrompt: ToolPrompt,
): (LanguageModelV2TextPart | LanguageModelV2FilePart)[] {
  const text = toolPrompt.results(
    results.map(({ toolCallId, toolName, output }) => ({
      id: toolCallId,
      name: toolName,
      text: toText(output),
    })),
  );
  return [{ type: 'text', text }, ...results.flatMap(({ output }) => toFiles(output))];
}

type Output = LanguageModelV2ToolResultPart['output'];

function toText(output: Output): string {
  switch (output.type) {
    case 'text':
      return output.value;
    case 'error-text':
      return `Error: ${output.value}`;
    case 'json':
      return JSON.stringify(output.value);
    case 'error-json':
      return `Error: ${JSON.stringify(output.value)}`;
    case 'content':
      return output.value
        .map(part => (part.type === 'text' ? part.text : `[${part.mediaType}, attached to this message]`))
        .join('\n');
  }
}

const toFiles = (output: Output): LanguageModelV2FilePart[] =>
  output.type !== 'content'
    ? []
    : output.value.flatMap(part =>
        part.type === 'media' ? [{ type: 'file', data: part.data, mediaType: part.mediaType }] : [],
      );
