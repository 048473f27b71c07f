import type { JSONSchema7 } from '@ai-sdk/provider';
import { isPlainObject, type JSONObject, type JSONValue, objectOf, stringOf } from './shared/json.js';

/*
 * What a model receives in the vocabulary of the newest version of the model interface: the conversation, the tools and the
 * settings, with the field `own`, which no version has.
 */

/** Facts by provider. */
export type ProviderMetadata = Readonly<Record<string, JSONObject>>;

/** Options by provider. Those of this package are `CoreCall.own`, and `own` of a part. */
export type ProviderOptions = ProviderMetadata;

/**
 * Facts of this package about a part, which hosts keep in their history: `providerMetadata.kelivo` of a part, and
 * `providerOptions.kelivo` of the prompt. `core/versions/history/` writes and validates them.
 */
export interface PartFacts {
  /** The stored response that the part belongs to. */
  readonly responseId?: string;
  /** True for content of a response that the server was asked to store, and did not. Later requests do not refer to it. */
  readonly unstored?: boolean;
  /** False for content of a response that did not end, true for the last part of one that did. Set within a `conversation`. */
  readonly completed?: boolean;
  /** True for a call that the model wrote as text: the stored response has the text, and not the call. */
  readonly ofText?: boolean;
  /** The call of the server that contained this one among others: its id, and the index of this one. */
  readonly wrapper?: { readonly id: string; readonly index: number };
  /** Ids of the calls that show the item of the part. Later requests contain the item in their place. */
  readonly shows?: readonly string[];
  /** Id of the item that the part shows. */
  readonly ofItem?: string;
  /** Number of the event of a response in the background. */
  readonly sequenceNumber?: number;
  /** Ids of reasoning items that the API could not use, so that later requests omit them. */
  readonly removedReasoning?: readonly string[];
  /** `text` for reasoning that the server sent as text instead of a summary. */
  readonly reasoningChannel?: string;
  /** True for reasoning that contains a message: prose before JSON, or of another agent. */
  readonly commentary?: boolean;
  /** The agent that wrote the part, `{ agent_name }`. @default the agent that answers the user */
  readonly agent?: JSONObject;
  /** An item of the Responses API that no part can express. */
  readonly item?: JSONObject;
  /** True for a compaction whose conversation also contains the items before it. */
  readonly isWindow?: boolean;
  /** True for text or reasoning in which a response broke that was requested again. Later requests omit it. */
  readonly broken?: boolean;
  /** The round began without the old outputs of tools up to this call. */
  readonly cleared?: string | undefined;
  /** The output of which the result has the beginning. */
  readonly output?: KeptOutput;
  /** The vendor that wrote the reasoning, if its own metadata does not show it. */
  readonly origin?: string;
  /** The model that wrote the part, of several behind one. @default the first of them */
  readonly answeredBy?: string;
  /** A message of the user that arrived during the turn, at its place: a `UserMessage` as plain JSON. */
  readonly userMessage?: JSONObject;
  /** True for a message of the user that begins with a summary of all that precedes it, which later requests leave out. */
  readonly summarizes?: boolean;
  /** The identity of the tool that the loop ran: its server and its name there. */
  readonly tool?: { readonly server: string; readonly name: string };
  /** The request for approval of the call. */
  readonly approval?: ApprovalMark;
  /** The step of the host that ended with the call, `{ id, from }`: nobody can guess its id, and `from` messages precede the turn. */
  readonly step?: JSONObject;
  /** The hosted MCP server that asks for approval of the call. */
  readonly approvalFor?: string;
}

/** An output that the tool loop has kept as a whole, because it is too long for a request. */
export interface KeptOutput {
  /** The id with which the model reads it. */
  readonly id: string;
  /** Its length in characters. */
  readonly chars: number;
}

/** The request for approval of a call of the tool loop. */
export interface ApprovalMark {
  /** Id of the approval request. */
  readonly id: string;
  /** The MCP server of the tool. @default none, a tool of the application */
  readonly server?: string;
  /** The tool's name at its source. */
  readonly originalName: string;
  /** Fingerprint of the tool that the request is about. @default none, a tool of the application */
  readonly definition?: string;
  /** True if the request was answered before, so that the host need not ask. @default false */
  readonly answered?: boolean;
}

/** Settings of the model. */
export interface CallSettings {
  /** Maximum number of tokens to generate. */
  readonly maxOutputTokens?: number | undefined;
  /** Sampling temperature. Its range depends on the model. */
  readonly temperature?: number | undefined;
  /** Texts that end the response when the model generates them. */
  readonly stopSequences?: readonly string[] | undefined;
  /** Nucleus sampling: only tokens within this share of the probability, from 0 to 1, are considered. */
  readonly topP?: number | undefined;
  /** Number of the most probable tokens that are considered. */
  readonly topK?: number | undefined;
  /** Reduces the repetition of what the conversation already contains. */
  readonly presencePenalty?: number | undefined;
  /** Reduces the repetition of the same words. */
  readonly frequencyPenalty?: number | undefined;
  /** Seed for reproducible sampling, if the model supports it. */
  readonly seed?: number | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  /** The reasoning effort, which hosts before `ai` 7 pass in provider options. */
  readonly reasoning?:
    'provider-default' | 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | undefined;
}

export type ResponseFormat =
  | { readonly type: 'text' }
  | {
      readonly type: 'json';
      readonly schema?: JSONSchema7 | undefined;
      readonly name?: string | undefined;
      readonly description?: string | undefined;
    };

/** A tool that the call declares. */
export type Tool = FunctionTool | ProviderTool;

export interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: JSONSchema7;
  readonly inputExamples?: readonly { readonly input: JSONObject }[] | undefined;
  readonly strict?: boolean | undefined;
  readonly providerOptions?: ProviderOptions | undefined;
}

/** A tool that a provider defines, for example `openai.web_search`. */
export interface ProviderTool {
  readonly type: 'provider';
  readonly id: `${string}.${string}`;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export type ToolChoice =
  { readonly type: 'auto' | 'none' | 'required' } | { readonly type: 'tool'; readonly toolName: string };

/** The conversation. Hosts may send parts of other types, which the layers that read them report. */
export type Prompt = readonly Message[];

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

interface MessageOptions {
  readonly providerOptions?: ProviderOptions | undefined;
}

export interface SystemMessage extends MessageOptions {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage extends MessageOptions {
  readonly role: 'user';
  readonly content: readonly UserPart[];
}

export interface AssistantMessage extends MessageOptions {
  readonly role: 'assistant';
  readonly content: readonly AssistantPart[];
}

export interface ToolMessage extends MessageOptions {
  readonly role: 'tool';
  readonly content: readonly ToolPart[];
}

export type UserPart = TextPart | FilePart;

export type AssistantPart =
  TextPart | FilePart | ReasoningPart | ReasoningFilePart | CustomPart | ToolCallPart | ToolResultPart;

export type ToolPart = ToolResultPart | ToolApprovalResponsePart;

/** Members of all parts of a prompt. */
interface PromptPart {
  /** Options of all providers but the facts of this package. */
  readonly providerOptions?: ProviderOptions | undefined;
  /** Facts that this package keeps in the history of its host. */
  readonly own?: PartFacts | undefined;
}

export interface TextPart extends PromptPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ReasoningPart extends PromptPart {
  readonly type: 'reasoning';
  readonly text: string;
}

export interface FilePart extends PromptPart {
  readonly type: 'file';
  readonly filename?: string | undefined;
  readonly data: FileData;
  /** A media type, or its first segment. */
  readonly mediaType: string;
}

export interface ReasoningFilePart extends PromptPart {
  readonly type: 'reasoning-file';
  readonly data: GeneratedFileData;
  readonly mediaType: string;
}

/** Content without a common form. `own.item` is an item of the Responses API. */
export interface CustomPart extends PromptPart {
  readonly type: 'custom';
  readonly kind: `${string}.${string}`;
}

export interface ToolCallPart extends PromptPart {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly providerExecuted?: boolean | undefined;
}

export interface ToolResultPart extends PromptPart {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: ToolResultOutput;
}

export interface ToolApprovalResponsePart extends PromptPart {
  readonly type: 'tool-approval-response';
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

interface OutputOptions {
  readonly providerOptions?: ProviderOptions | undefined;
}

export type ToolResultOutput = OutputOptions &
  (
    | { readonly type: 'text' | 'error-text'; readonly value: string }
    | { readonly type: 'json' | 'error-json'; readonly value: JSONValue }
    | { readonly type: 'execution-denied'; readonly reason?: string | undefined }
    | { readonly type: 'content'; readonly value: readonly OutputContent[] }
  );

export type OutputContent = OutputOptions &
  (
    | { readonly type: 'text'; readonly text: string }
    | {
        readonly type: 'file';
        readonly data: FileData;
        /** Empty if it is unknown. */
        readonly mediaType: string;
        readonly filename?: string | undefined;
      }
    | { readonly type: 'custom' }
  );

/** Data that a model generated. A string is base64. */
export type GeneratedFileData =
  { readonly type: 'data'; readonly data: Uint8Array | string } | { readonly type: 'url'; readonly url: URL };

export type FileData =
  | GeneratedFileData
  | { readonly type: 'reference'; readonly reference: Readonly<Record<string, string>> }
  | { readonly type: 'text'; readonly text: string };

/** Returns the parts of the answers and of the tool messages of a conversation, in their order. */
export function* answerPartsOf(prompt: Prompt): Generator<AssistantPart | ToolPart> {
  for (const { role, content } of prompt) if (role === 'assistant' || role === 'tool') yield* content;
}

/** Returns the calls of a conversation, in their order. */
export function callsOf(prompt: Prompt): ToolCallPart[] {
  const calls: ToolCallPart[] = [];
  for (const { role, content } of prompt)
    if (role === 'assistant') for (const part of content) if (part.type === 'tool-call') calls.push(part);
  return calls;
}

/*
 * Outputs of tools, which the versions of the model interface and the tools of an application write in different forms.
 */

/**
 * Converts the output of a tool of any version: media of version 2, and images and files of version 3, become files with
 * tagged data. The value is not validated: what no version has is returned unchanged. See `isToolOutput`.
 */
export function toCoreOutput(output: unknown): ToolResultOutput {
  if (!isPlainObject(output) || output.type !== 'content' || !Array.isArray(output.value))
    return output as ToolResultOutput;
  return { ...output, type: 'content', value: output.value.map(toItem) as OutputContent[] };
}

function toItem(item: unknown) {
  if (!isPlainObject(item)) return item;
  const { type, data, url, fileId, mediaType, ...rest } = item;
  const defaultType = stringOf(type).startsWith('image') ? 'image/*' : '';
  const knownType = typeof mediaType === 'string' ? toLowerMediaType(mediaType) : mediaType;
  const file = { type: 'file', mediaType: knownType ?? defaultType, ...rest };
  switch (type) {
    case 'media':
    case 'image-data':
    case 'file-data':
      return { ...file, data: { type: 'data', data } };
    case 'image-url':
    case 'file-url':
      return URL.canParse(String(url)) ? { ...file, data: { type: 'url', url: new URL(String(url)) } } : item;
    case 'image-file-id':
    case 'file-id': {
      const reference = typeof fileId === 'string' ? { openai: fileId } : fileId;
      return { ...file, data: { type: 'reference', reference } };
    }
    case 'file':
      return { ...item, ...('mediaType' in item && { mediaType: knownType }), data: toFileData(data) };
    default:
      return item;
  }
}

/** Returns a media type in lower case, in which it is compared. The values of its parameters may depend on the case. */
export const toLowerMediaType = (mediaType: string): string =>
  mediaType.replace(/^[^;]*/, type => type.toLowerCase());

/** Tags the data of a file. Data of `ai` 7 has a tag already, with a text in place of the URL if it was stored as JSON. */
export function toFileData(data: unknown): FileData {
  if (data instanceof URL) return { type: 'url', url: data };
  if (data instanceof Uint8Array || typeof data === 'string') return { type: 'data', data };
  const { type, url } = objectOf(data) ?? {};
  if (type === 'url' && typeof url === 'string' && URL.canParse(url)) return { type, url: new URL(url) };
  return data as FileData;
}

/** Returns the text for the model of a call that was refused. */
export const toDeniedText = ({ reason = '' }: { readonly reason?: string | undefined }): string =>
  reason === '' ? 'The user did not allow this tool call.' : reason;

export function isToolOutput(output: unknown): output is ToolResultOutput {
  const { type, value } = objectOf(output) ?? {};
  if (type === 'text' || type === 'error-text') return typeof value === 'string';
  if (type === 'json' || type === 'error-json') return value !== undefined;
  if (type === 'execution-denied') return true;
  return type === 'content' && Array.isArray(value) && value.every(isItem);
}

function isItem(item: unknown): boolean {
  const { type, text, data, mediaType } = objectOf(item) ?? {};
  if (type === 'text') return typeof text === 'string';
  return type === 'custom' || (type === 'file' && typeof mediaType === 'string' && isFileData(data));
}

function isFileData(tagged: unknown): boolean {
  const { type, data, url, text, reference } = objectOf(tagged) ?? {};
  switch (type) {
    case 'data':
      return typeof data === 'string' || data instanceof Uint8Array;
    case 'url':
      return url instanceof URL;
    case 'text':
      return typeof text === 'string';
    default:
      return type === 'reference' && isPlainObject(reference);
  }
}
