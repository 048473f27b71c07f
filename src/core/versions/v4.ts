import type { Content } from '../part.js';
import { isWholeJson, objectOf } from '../shared/json.js';
import { mapOutput, type Version, withMetadata } from './version.js';

/** The version of `ai` 7, which has a form for everything that the core knows. */
export const v4: Version = {
  name: 'v4',
  facts: {
    undeclaredCalls: { stream: 'full', generate: 'full' },
    asksForApproval: true,
    acceptsLaterResults: true,
    acceptsTextInput: true,
    countsAllParts: false,
    repeatsStreams: true,
    wrapsToolOutput: true,
  },
  providerTool: 'provider',
  hasCustomParts: true,
  hasRequestUrl: true,
  missingPromptParts: new Set(),
  hasApprovalTool: false,
  hasFilesInChatOutputs: true,
  writeFileData: data => data,
  writeFile: ({ own, ...file }) => withMetadata(file, own),
  writePart: part => part,
  writeOutput: output =>
    mapOutput(output, part =>
      part.type === 'file' && part.mediaType === ''
        ? { ...part, mediaType: 'application/octet-stream' }
        : part,
    ),
  writeFinishReason: (reason, isCut) =>
    isCut && reason.unified === 'error' ? { ...reason, unified: 'interrupted' } : reason,
  writeUsage: ({ total: _, cost: __, ...usage }) => usage,
  writeWarning(warning) {
    if (warning.type !== 'unsupported') return warning;
    const { tool: _, ...rest } = warning;
    return rest;
  },
  writeResult(result) {
    const structuredOutputText = result.isJson ? toStructuredOutputText(result.content) : undefined;
    return structuredOutputText === undefined ? {} : { structuredOutputText };
  },
  official: {
    major: 4,
    sendsCompactions: true,
    restrictsTools: true,
    hasHostedServers: true,
    readsReasoning: true,
    refersByCallId: false,
    rebuiltResults: /^(?:web_search(?:_preview)?|tool_search|shell|programmatic_tool_calling)$/,
  },
};

/**
 * Returns the text with the structured output if the response contains other texts: that of the last message in the phase
 * `final_answer`. Servers without phases write the object last. The host joins all texts if it is undefined.
 */
function toStructuredOutputText(content: readonly Content[]): string | undefined {
  const messages = toMessages(content);
  const final = messages.findLast(message => message.phase === 'final_answer');
  if (final !== undefined) return final.text;
  const last = messages.length > 1 ? messages.at(-1) : undefined;
  return last !== undefined && isWholeJson(last.text) ? last.text : undefined;
}

/** Joins the texts of each message, which have the same item id. */
function toMessages(content: readonly Content[]): { text: string; phase: unknown }[] {
  const messages: { itemId: unknown; text: string; phase: unknown }[] = [];
  for (const part of content) {
    if (part.type !== 'text') continue;
    const { itemId, phase } = objectOf(part.providerMetadata?.openai) ?? {};
    const last = messages.at(-1);
    if (last !== undefined && itemId !== undefined && last.itemId === itemId) last.text += part.text;
    else messages.push({ itemId, text: part.text, phase });
  }
  return messages;
}
