import type { ModelMessage } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../call.js';
import type {
  AssistantPart,
  Message,
  OutputContent,
  PartFacts,
  Prompt,
  ProviderMetadata,
  ToolResultOutput,
} from '../prompt.js';
import type { CoreModel } from '../source.js';
import { objectOf, type PlainObject, stringOf } from '../shared/json.js';
import { continuesStoredResponse, pairToolCalls } from '../tool-calls/call-pairing.js';
import { type HistoryPart, isHostedToolPart } from '../tool-calls/hosted-tools.js';
import {
  APPROVAL_TOOL,
  findHostedRequests,
  toApprovalCall,
  toApprovalResult,
} from './history/approval-tool.js';
import { joinFacts, joinOptions } from './history/facts.js';
import { withoutForeignReasoning } from './history/foreign-reasoning.js';
import type { HostMessage } from './history/hidden-calls.js';
import { v2 } from './v2.js';
import { type Version, writeCarrier } from './version.js';

/** Writes the options of a call for a model of another package. `removed` receives the types of parts that are not sent. */
export function writeCall(call: CoreCall, version: Version, removed: (type: string) => void): PlainObject {
  const { prompt, tools, own: _, providerOptions: __, isStream: ___, ...rest } = call;
  const { host, turn, telemetry, roundTelemetry, ...settings } = rest;
  const providerOptions = joinOptions(call);
  return {
    ...settings,
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
    prompt.filter(message => message.role !== 'system'),
    v2,
  ) as object[] as ModelMessage[];

/** Writes a prompt in the types of a version. */
export function writePrompt(
  prompt: Prompt,
  version: Version,
  removed: (type: string) => void = () => {},
): HostMessage[] {
  const approvals = version.hasApprovalTool ? findHostedRequests(prompt) : new Set<string>();
  return prompt.flatMap((message: Message): HostMessage[] => {
    if (typeof message.content === 'string') return [{ ...message, content: message.content }];
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

/**
 * Writes the history in a form that a model of any package sends completely: each call once, followed by a `tool` message
 * with its output. Packages drop results in assistant messages, where hosts keep those of calls that a provider ran. Calls
 * of hosted tools stay as they are in requests to the API that ran them.
 */
export function serializeHistory(
  call: CoreCall,
  model: Pick<CoreModel, 'provider'>,
  version: Version,
  options: { sendsForeign?: boolean } = {},
): CoreCall {
  const functions = new Set(call.tools?.filter(tool => tool.type === 'function').map(tool => tool.name));
  const own = options.sendsForeign ? call.prompt : withoutForeignReasoning(call.prompt, model.provider);
  const prompt = pairToolCalls(own, {
    keepOrphans: continuesStoredResponse(call),
    isFunctionTool: name => functions.has(name),
    isHostedTool: part =>
      call.turn?.hostedCalls?.has(part.toolCallId) === true || isRunBy(model.provider, part),
  });
  if (/\.responses$/.test(model.provider)) return withoutUnknownItems({ ...call, prompt });
  return {
    ...call,
    prompt: CHAT.test(model.provider) && !version.hasFilesInChatOutputs ? prompt.map(withoutMedia) : prompt,
  };
}

/**
 * Prevents references to items that the server has not stored. The official provider refers to every item with an id unless
 * `store` is false, which is the default of this package but not its own. Encrypted reasoning shows that responses were not
 * stored.
 */
function withoutUnknownItems(call: CoreCall): CoreCall {
  const { prompt, providerOptions, own } = call;
  const store = own.store ?? providerOptions?.openai?.store;
  if (store === false) return call;
  const isEncrypted = prompt.some(
    message =>
      message.role === 'assistant' && message.content.some(part => isReasoning(part, { isStored: false })),
  );
  if (isEncrypted && typeof store !== 'boolean') {
    const openai = { ...providerOptions?.openai, store: false };
    return { ...call, providerOptions: { ...providerOptions, openai } };
  }
  return { ...call, prompt: prompt.map(withoutUnknownIds) };
}

/** Removes the ids of messages and function calls, unless the message shows that the server has stored its items. */
function withoutUnknownIds(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const isStored = message.content.some(
    part => part.own?.responseId !== undefined || isReasoning(part, { isStored: true }),
  );
  if (isStored) return message;
  const content = message.content.map((part): AssistantPart => {
    const isItem = part.type === 'text' || (part.type === 'tool-call' && part.providerExecuted !== true);
    if (!isItem || part.providerOptions?.openai?.itemId === undefined) return part;
    const { openai: { itemId: _, ...openai } = {}, ...others } = part.providerOptions;
    return { ...part, providerOptions: { ...others, ...(Object.keys(openai).length > 0 && { openai }) } };
  });
  return { ...message, content };
}

const isReasoning = (part: AssistantPart, options: { isStored: boolean }): boolean =>
  part.type === 'reasoning' &&
  part.providerOptions?.openai?.itemId !== undefined &&
  (typeof part.providerOptions.openai.reasoningEncryptedContent === 'string') !== options.isStored;

/** Providers that write the output of a tool as text, in which a file would be base64. */
const CHAT = /\.(?:chat|completion)$/;

/** Replaces files in outputs by a text that says what is missing. */
function withoutMedia(message: Message): Message {
  if (message.role !== 'tool') return message;
  return {
    ...message,
    content: message.content.map(part =>
      part.type === 'tool-result' && part.output.type === 'content'
        ? { ...part, output: { ...part.output, value: part.output.value.map(toShownContent) } }
        : part,
    ),
  };
}

const toShownContent = (item: OutputContent): OutputContent =>
  item.type === 'file'
    ? { type: 'text', text: `[${item.mediaType || 'file'} content omitted: it cannot be shown to the model]` }
    : item;

/** Providers whose models do not speak the Responses API, by the end or the beginning of their names. */
const OTHER_APIS = /\.(?:chat|completion|messages|generative-ai)$|^(?:google|vertex|amazon-bedrock)\b/;

/** Ids of calls that Anthropic's servers run. */
const ANTHROPIC_IDS = /^(?:srvtoolu|mcptoolu)_/;

/** Returns true for a call that the servers of a provider ran, which the provider's package sends in its own form. */
function isRunBy(provider: string, part: HistoryPart): boolean {
  const [company = ''] = provider.split('.');
  if (company !== 'openai' && objectOf(part.providerOptions)?.[company] !== undefined) return true;
  if (ANTHROPIC_IDS.test(part.toolCallId)) return /anthropic|vertex|bedrock/.test(provider);
  return !OTHER_APIS.test(provider) && isHostedToolPart(part);
}
