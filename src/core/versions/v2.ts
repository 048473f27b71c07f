import type { Usage } from '../part.js';
import { toReasonText, totalOf } from '../finish.js';
import { toDeniedText } from '../prompt.js';
import type { PlainObject } from '../shared/json.js';
import {
  COMMON_PARTS,
  mapOutput,
  omit,
  toPlainWarning,
  toUntaggedData,
  toUntaggedFile,
  type Version,
} from './version.js';

/** The version of `ai` 5. It has no approvals, and `generateText` fails on calls of tools that the host did not declare. */
export const v2: Version = {
  name: 'v2',
  facts: {
    undeclaredCalls: { stream: 'result', generate: 'none' },
    asksForApproval: false,
    acceptsLaterResults: false,
    acceptsTextInput: false,
    countsAllParts: false,
    repeatsStreams: false,
    wrapsToolOutput: false,
  },
  providerTool: 'provider-defined',
  hasCustomParts: false,
  partTypes: new Set(COMMON_PARTS),
  missingPromptParts: new Set(['reasoning-file', 'tool-approval-response']),
  hasApprovalTool: true,
  hasFilesInChatOutputs: false,
  writeFileData: toUntaggedData,
  writeFile: toUntaggedFile,
  writePart: part => {
    // A source has a title in all versions.
    const written =
      part.type === 'source' ? part : omit(part, 'citations', 'dynamic', 'title', 'inputEncoding');
    // Every result in a response belongs to a tool that the provider ran.
    return part.type === 'tool-result' ? { ...written, providerExecuted: true } : written;
  },
  writeOutput(output) {
    if (output.type !== 'execution-denied')
      return mapOutput(output, part => {
        const { type, data, ...rest } = part;
        return type === 'file' ? toMedia(rest, data as PlainObject) : part;
      });
    const { providerOptions } = output;
    return {
      ...(providerOptions !== undefined && { providerOptions }),
      type: 'error-text',
      value: toDeniedText(output),
    };
  },
  writeFinishReason: toReasonText,
  writeUsage: toFlatUsage,
  writeWarning(warning) {
    if (warning.type === 'other') return warning;
    if (warning.type !== 'unsupported') return toPlainWarning(warning);
    const { feature, details, tool } = warning;
    return {
      ...(tool === undefined
        ? { type: 'unsupported-setting', setting: feature }
        : {
            type: 'unsupported-tool',
            tool: tool.type === 'provider' ? { ...tool, type: 'provider-defined' } : tool,
          }),
      ...(details !== undefined && { details }),
    };
  },
  official: {
    major: 2,
    sendsCompactions: false,
    restrictsTools: false,
    hasHostedServers: false,
    readsReasoning: false,
    refersByCallId: true,
    rebuiltResults: /^$/,
  },
};

function toFlatUsage(usage: Usage): PlainObject {
  const { inputTokens, outputTokens } = usage;
  return {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    totalTokens: totalOf(usage),
    reasoningTokens: outputTokens.reasoning,
    cachedInputTokens: inputTokens.cacheRead,
  };
}

/** Writes a file in an output. Version 2 has no files by URL or id, which are left as they are. */
function toMedia(part: PlainObject, data: PlainObject): PlainObject {
  if (data.type === 'text') return { type: 'text', text: data.text };
  return data.type === 'data' ? { type: 'media', ...part, data: data.data } : { type: 'file', ...part, data };
}
