import type { ModelMessage } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../core/call.js';
import type { Message, PartFacts, Prompt, ProviderMetadata, ToolResultOutput } from '../core/prompt.js';
import { objectOf, type PlainObject, stringOf } from '../shared/json.js';
import { joinFacts, joinOptions } from './history.js';
import { APPROVAL_TOOL } from './read.js';
import { v2 } from './v2.js';
import { type Version, writeCarrier } from './version.js';

/** Writes the options of a call for a model of another package. `removed` receives the types of parts that are not sent. */
export function writeCall(call: CoreCall, version: Version, removed: (type: string) => void): PlainObject {
  const {
    prompt,
    tools,
    own: _,
    providerOptions: __,
    isStream: ___,
    host,
    turn,
    telemetry,
    ...settings
  } = call;
  const { roundTelemetry: ____, ...rest } = settings;
  const providerOptions = joinOptions(call);
  return {
    ...rest,
    prompt: writePrompt(prompt, version, removed),
    ...(tools !== undefined && {
      tools: tools
        .filter(tool => version.hasApprovalTool || tool.type === 'function' || tool.id !== APPROVAL_TOOL.id)
        .map(tool => (tool.type === 'function' ? tool : { ...tool, type: version.providerTool })),
    }),
    ...(providerOptions !== undefined && { providerOptions }),
  };
}

/**
 * Returns a conversation without its system messages as `ModelMessage`s, for functions of the application.
 * Media in outputs have the words of `ai` 5.
 */
export const toModelMessages = (prompt: Prompt): ModelMessage[] =>
  writePrompt(
    prompt.filter(({ role }) => role !== 'system'),
    v2,
    () => {},
  ) as ModelMessage[];

/** Writes a prompt in the types of a version. */
function writePrompt(prompt: Prompt, version: Version, removed: (type: string) => void): unknown[] {
  const approvals = version.hasApprovalTool ? findHostedRequests(prompt) : new Set<string>();
  return prompt.flatMap((message: Message): unknown[] => {
    if (typeof message.content === 'string') return [message];
    const content = message.content.flatMap(part => writePart({ ...part }));
    return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
  });

  function writePart(part: PlainObject): PlainObject[] {
    const { own, providerOptions: options, ...fields } = part;
    const metadata = joinFacts(options as ProviderMetadata | undefined, own as PartFacts | undefined);
    const facts = metadata === undefined ? {} : { providerOptions: metadata };
    switch (part.type) {
      case 'custom': {
        if (version.hasCustomParts) break;
        const carrier = part as unknown as Parameters<typeof writeCarrier>[0];
        const providerOptions = writeCarrier(carrier, options as ProviderMetadata | undefined);
        return [{ type: 'reasoning', text: '', providerOptions }];
      }
      case 'file': {
        const { type, text } = objectOf(part.data) ?? {};
        if (type === 'text' && !version.hasCustomParts) return [{ type: 'text', text, ...facts }];
        return [{ ...fields, data: version.writeFileData(part.data as never), ...facts }];
      }
      case 'tool-call':
        if (!approvals.has(stringOf(part.toolCallId))) break;
        return [{ ...toApprovalCall(fields, own as PartFacts | undefined), ...facts }];
      case 'tool-approval-response':
        if (!approvals.has(stringOf(part.approvalId))) break;
        return [toApprovalResult(part)];
      case 'tool-result':
        return [{ ...fields, output: version.writeOutput(part.output as ToolResultOutput), ...facts }];
    }
    if (version.missingPromptParts.has(stringOf(part.type))) {
      removed(stringOf(part.type));
      return [];
    }
    return [own === undefined ? part : { ...fields, ...facts }];
  }
}

/** Returns the ids of the calls for which hosted servers have asked for approval. */
function findHostedRequests(prompt: Prompt): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { role, content } of prompt) {
    if (role !== 'assistant') continue;
    for (const part of content)
      if (part.type === 'tool-call' && part.own?.approvalFor !== undefined) ids.add(part.toolCallId);
  }
  return ids;
}

/** Returns the call of the approval tool that expresses the request of a hosted server for approval of a call. */
export function toApprovalCall(call: PlainObject, own: PartFacts | undefined): PlainObject {
  const { providerExecuted: _, dynamic: __, ...rest } = call;
  return {
    ...rest,
    toolName: APPROVAL_TOOL.name,
    input: {
      serverLabel: own?.approvalFor,
      name: stringOf(call.toolName).replace(/^mcp\./, ''),
      arguments: call.input,
    },
  };
}

const toApprovalResult = ({ approvalId, approved, reason }: PlainObject): PlainObject => ({
  type: 'tool-result',
  toolCallId: approvalId,
  toolName: APPROVAL_TOOL.name,
  output: {
    type: 'json',
    value: { approve: approved === true, ...(typeof reason === 'string' && { reason }) },
  },
});
