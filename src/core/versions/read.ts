import type { ModelMessage } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../call.js';
import {
  type CallSettings,
  type Message,
  type PartFacts,
  type Prompt,
  type ProviderMetadata,
  toCoreOutput,
  toFileData,
  toLowerMediaType,
  type Tool,
} from '../prompt.js';
import type { Content, Finish, FinishReason, GeneratedFile, Part, Usage, Warning } from '../part.js';
import { toCitations } from '../sources.js';
import { NO_USAGE, toUsage } from '../finish.js';
import {
  isPlainObject,
  type JSONObject,
  numberOf,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
} from '../shared/json.js';
import { findApprovalCalls, readApprovalCall, readApprovalResponse } from './history/approval-tool.js';
import { SigningKeys } from '../shared/signing.js';
import { addMessage, admitMetadata, fromCarrier, splitFacts, splitOptions } from './history/facts.js';
import { type HostMessage, withHiddenCalls } from './history/hidden-calls.js';
import {
  type AdmittedHistory,
  admitHistory,
  type AdmitOptions,
  describeFaults,
  type SignatureContext,
} from './history/signatures.js';
import type { HostOptions } from './version.js';

/*
 * Reads calls and responses of any version. The forms of the versions differ where their meanings do, so that no version
 * has to be known here.
 */

/** Everything of a call that its options contain. */
export type ReadCall = CallSettings &
  Pick<
    CoreCall,
    | 'prompt'
    | 'tools'
    | 'toolChoice'
    | 'abortSignal'
    | 'headers'
    | 'includeRawChunks'
    | 'providerOptions'
    | 'own'
  > & {
    /** Warnings about content that is not sent. */
    readonly warnings: readonly string[];
  };

/** Reads a call. Facts in its history count if they are signed with one of the keys. */
export function readCall(
  options: HostOptions,
  signature: SignatureContext & Pick<AdmitOptions, 'isInside'>,
): ReadCall {
  const { prompt: given, tools, providerOptions, ...rest } = options;
  const history = admitHistory(given, { tools, ...signature });
  const { own, others } = splitOptions(providerOptions);
  const warnings: string[] = [];
  const prompt = readPrompt(history, tools, warnings);
  if (history.faults.size > 0) warnings.push(describeFaults(history.faults));
  return {
    prompt,
    ...rest,
    own,
    warnings,
    ...(others !== undefined && { providerOptions: others }),
    ...(tools !== undefined && { tools: tools.map(readTool) }),
  };
}

const readTool = (tool: PlainObject): Tool =>
  (tool.type === 'provider-defined' ? { ...tool, type: 'provider' } : tool) as unknown as Tool;

/** Reads a history whose facts count. Adds a warning about content that is not sent. */
function readPrompt(
  { prompt, hasClaims }: AdmittedHistory<HostMessage>,
  tools: readonly PlainObject[] = [],
  warnings: string[] = [],
): Prompt {
  const restored = hasClaims ? withHiddenCalls(prompt) : prompt;
  const approvals = hasClaims ? findApprovalCalls(restored, tools) : NO_CALLS;
  const messages: Message[] = [];
  let hasRequests = false;
  for (const message of restored) {
    const { content } = message;
    if (typeof content === 'string') {
      messages.push(message as Message);
      continue;
    }
    const read: PlainObject[] = [];
    for (const given of content) {
      const part = readPromptPart(given, approvals);
      if (part !== undefined) read.push(part);
      else hasRequests ||= given.type === REQUEST;
    }
    addMessage(messages, { ...message, content: read } as unknown as Message);
  }
  if (hasRequests) warnings.push(`Prompt content of type "${REQUEST}" is not supported and was not sent.`);
  return messages;
}

const NO_CALLS: ReadonlySet<unknown> = new Set();

const REQUEST = 'tool-approval-request';

/**
 * Reads `ModelMessage`s of any version that a function of the application returns, whose content may be a text or contain
 * images. Facts count only if this process has written them into the messages that the function received.
 */
export function readMessages(messages: readonly ModelMessage[]): Prompt {
  const read = messages.map(({ content, ...message }): HostMessage => {
    if (message.role === 'system') return { ...message, content: String(content) };
    const parts: PlainObject[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(part => ({ ...part }));
    return { ...message, content: parts.map(readImage) };
  });
  return readPrompt(admitHistory(read, { keys: NO_KEYS, scope: undefined, isInside: true }));
}

const NO_KEYS = new SigningKeys(() => []);

/** Images and files of messages have data of more kinds than those of prompts. */
function readImage(part: PlainObject): PlainObject {
  if (part.type !== 'image' && part.type !== 'file') return part;
  const { image, data = image, mediaType = 'image/*', ...rest } = part;
  const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  const url = typeof bytes === 'string' && /^(?:https?|data):/i.test(bytes) ? new URL(bytes) : bytes;
  const [, type = mediaType, base64] =
    url instanceof URL ? (/^data:([^;,]+);base64,(.*)$/is.exec(url.href) ?? []) : [];
  return { ...rest, type: 'file', mediaType: type, data: base64 ?? url };
}

/** Reads a part. Undefined for parts that are not sent. */
function readPromptPart(part: PlainObject, approvals: ReadonlySet<unknown>): PlainObject | undefined {
  const given = part.providerOptions as ProviderMetadata | undefined;
  const { metadata, own } = splitFacts(given);
  if (own?.broken === true) return undefined;
  switch (part.type) {
    case REQUEST:
      return undefined;
    case 'reasoning': {
      const carried = fromCarrier(stringOf(part.text), { metadata, own });
      if (carried === undefined) break;
      return withMetadataAndFacts({ type: 'custom', kind: carried.kind }, carried.metadata, carried.own);
    }
    case 'file':
    case 'reasoning-file': {
      const file = { ...part, mediaType: toMediaType(part.mediaType), data: toFileData(part.data) };
      return withMetadataAndFacts(file, metadata, own);
    }
    case 'tool-call': {
      if (!approvals.has(part.toolCallId)) break;
      const { call, server } = readApprovalCall(part);
      return withMetadataAndFacts(call, metadata, { ...own, approvalFor: server });
    }
    case 'tool-result': {
      if (approvals.has(part.toolCallId)) return readApprovalResponse(part);
      const output = toCoreOutput(part.output);
      if (output === part.output) break;
      return withMetadataAndFacts({ ...part, output }, metadata, own);
    }
  }
  // Nearly all parts.
  return own === undefined && metadata === given ? part : withMetadataAndFacts(part, metadata, own);
}

/** Returns a part with its metadata and its facts, in place of those that the host has kept. */
const withMetadataAndFacts = (
  { type, providerOptions: _, ...part }: PlainObject,
  metadata: ProviderMetadata | undefined,
  own: PartFacts | undefined,
): PlainObject => ({
  type,
  ...part,
  ...(metadata !== undefined && { providerOptions: metadata }),
  ...(own !== undefined && { own }),
});

/** A media type without a subtype, such as "image", is a range. An empty one is unknown. */
function toMediaType(mediaType: unknown): unknown {
  if (typeof mediaType !== 'string' || mediaType === '') return mediaType;
  const lowerCase = toLowerMediaType(mediaType);
  return lowerCase.includes('/') ? lowerCase : `${lowerCase}/*`;
}

/** Reads the parts of one response, streamed or complete. A part becomes any number of parts. */
export function createPartReader(): (part: PlainObject, parts: Part[]) => unknown {
  /** Ids of reasoning blocks that carry content without a form in their version. */
  const carriers = new Set<unknown>();
  return (part, parts) => {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        if (carriers.size > 0 && carriers.has(part.id)) return;
        // Nearly all parts.
        if (objectOf(part.providerMetadata)?.kelivo === undefined) return parts.push(part as unknown as Part);
        break;
      case 'stream-start':
        return parts.push({ type: 'stream-start', warnings: readWarnings(part.warnings) });
      case 'finish':
        return parts.push(readFinish(part));
      case 'error':
      case 'raw':
      case 'response-metadata':
        return parts.push(part as unknown as Part);
      case 'reasoning-end':
        if (carriers.delete(part.id)) return;
        break;
      case 'reasoning-start': {
        const custom = readCarrier(part, '');
        if (custom === undefined) break;
        carriers.add(part.id);
        return parts.push(custom);
      }
    }
    return parts.push(readContentPart(part) as Part);
  };
}

/** Reads a part of a complete response, or one that is the same in a stream. */
export function readContentPart(given: PlainObject): Part | Content {
  const { providerMetadata, ...fields } = given;
  const { metadata, own } = splitFacts(admitMetadata(providerMetadata as ProviderMetadata | undefined));
  const part: PlainObject = {
    ...fields,
    ...(metadata !== undefined && { providerMetadata: metadata }),
    ...(own !== undefined && { own }),
  };
  switch (given.type) {
    case 'reasoning':
      return readCarrier(given, stringOf(given.text)) ?? (part as unknown as Content);
    case 'text':
    case 'text-end': {
      const citations = part.citations === undefined ? toCitations(metadata?.openai?.annotations) : [];
      return { ...part, ...(citations.length > 0 && { citations }) } as unknown as Part;
    }
    case 'file':
    case 'reasoning-file':
      return readFile(part);
    case 'tool-result': {
      const { providerExecuted: _, ...result } = part;
      return { ...result, result: result.result ?? '' } as unknown as Part;
    }
    default:
      return part as unknown as Part;
  }
}

function readCarrier(part: PlainObject, text: string): Extract<Part, { type: 'custom' }> | undefined {
  const carried = fromCarrier(
    text,
    splitFacts(admitMetadata(part.providerMetadata as ProviderMetadata | undefined)),
  );
  if (carried === undefined) return undefined;
  const { kind, metadata, own } = carried;
  return {
    type: 'custom',
    kind,
    ...(metadata !== undefined && { providerMetadata: metadata }),
    ...(own !== undefined && { own }),
  };
}

function readFile(part: PlainObject): GeneratedFile {
  const { providerMetadata, data, ...file } = part;
  const { kelivo: { reasoningFile = false, ...kelivo } = {}, ...others } = (providerMetadata ??
    {}) as ProviderMetadata;
  const metadata = { ...others, ...(Object.keys(kelivo).length > 0 && { kelivo }) };
  return {
    ...file,
    type: reasoningFile === true ? 'reasoning-file' : file.type,
    data: toFileData(data),
    ...(Object.keys(metadata).length > 0 && { providerMetadata: metadata }),
  } as unknown as GeneratedFile;
}

/** Reads the end of a response, or a complete response. */
export function readFinish({
  finishReason,
  usage,
  providerMetadata,
  structuredOutputText,
}: PlainObject): Finish {
  const { kelivo, ...others } = (providerMetadata ?? {}) as ProviderMetadata;
  return {
    type: 'finish',
    finishReason: readFinishReason(finishReason),
    usage: { ...readUsage(usage), ...(typeof kelivo?.cost === 'number' && { cost: kelivo.cost }) },
    ...(Object.keys(others).length > 0 && { providerMetadata: others }),
    ...(kelivo !== undefined && { own: kelivo }),
    ...(typeof structuredOutputText === 'string' && { structuredOutputText }),
  };
}

function readFinishReason(reason: unknown): FinishReason {
  const { unified, raw } =
    typeof reason === 'string' ? { unified: reason, raw: undefined } : (objectOf(reason) ?? {});
  const isMissing = unified === undefined || unified === 'unknown';
  return {
    unified: isMissing ? 'interrupted' : (REASONS.find(known => known === unified) ?? 'other'),
    raw: typeof raw === 'string' ? raw : undefined,
  };
}

const REASONS: readonly FinishReason['unified'][] = [
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'interrupted',
];

function readUsage(value: unknown): Usage {
  const usage = objectOf(value);
  if (usage === undefined) return NO_USAGE;
  const { inputTokens, outputTokens } = usage;
  if (!isPlainObject(inputTokens) && !isPlainObject(outputTokens)) {
    return toUsage({
      input: numberOf(inputTokens),
      output: numberOf(outputTokens),
      cacheRead: numberOf(usage.cachedInputTokens),
      reasoning: numberOf(usage.reasoningTokens),
      total: numberOf(usage.totalTokens),
    });
  }
  const [input, output] = [objectOf(inputTokens), objectOf(outputTokens)];
  return {
    inputTokens: {
      total: numberOf(input?.total),
      noCache: numberOf(input?.noCache),
      cacheRead: numberOf(input?.cacheRead),
      cacheWrite: numberOf(input?.cacheWrite),
    },
    outputTokens: {
      total: numberOf(output?.total),
      text: numberOf(output?.text),
      reasoning: numberOf(output?.reasoning),
    },
    ...(isPlainObject(usage.raw) && { raw: usage.raw as JSONObject }),
  };
}

function readWarning(warning: PlainObject): Warning {
  const { type, setting, tool, details } = warning;
  const explained = typeof details === 'string' ? { details } : {};
  if (type === 'unsupported-setting')
    return { type: 'unsupported', feature: stringOf(setting), ...explained };
  if (type === 'unsupported-tool') {
    const feature = `tool ${stringOf(objectOf(tool)?.name)}`;
    return { type: 'unsupported', feature, ...explained, tool: readTool(objectOf(tool) ?? {}) };
  }
  return warning as unknown as Warning;
}

/** Reads the warnings of a generated result. */
export const readWarnings = (warnings: unknown): Warning[] => objectsOf(warnings).map(readWarning);
