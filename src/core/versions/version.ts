import type { HostFacts, ToolPartsMode } from '../call.js';
import type { FileData, ProviderMetadata, ToolResultOutput } from '../prompt.js';
import { type CarrierPart, itemOf } from '../custom.js';
import type { Content, FinishReason, GeneratedFile, Usage, Warning } from '../part.js';
import { isPlainObject, type PlainObject } from '../shared/json.js';
import { joinFacts, toCarrier } from './history/facts.js';
import type { HostMessage } from './history/hidden-calls.js';

/** The options of a call, of which this package reads what it knows. */
export interface HostOptions extends PlainObject {
  readonly prompt: readonly HostMessage[];
  readonly tools?: readonly PlainObject[] | undefined;
  readonly providerOptions?: ProviderMetadata | undefined;
}

/**
 * A version of the model interface: what its hosts can show and keep, and how it writes what the core knows. Reading needs
 * no table, because the forms of all versions differ where their meanings do (see `read.ts`).
 */
export interface Version {
  readonly name: string;
  readonly facts: Omit<HostFacts, 'undeclaredCalls'> & {
    readonly undeclaredCalls: { readonly stream: ToolPartsMode; readonly generate: ToolPartsMode };
  };
  /** The type of a tool that a provider defines. */
  readonly providerTool: 'provider' | 'provider-defined';
  /** True for versions with `custom` parts. Others carry such content in empty reasoning. */
  readonly hasCustomParts: boolean;
  /** True for versions whose hosts receive the address of a request. @default false */
  readonly hasRequestUrl?: boolean;
  /** Types of response parts that hosts of the version know. Others are left out. @default all */
  readonly partTypes?: ReadonlySet<string>;
  /** Types of prompt parts that models of the version do not know. Their parts are left out. */
  readonly missingPromptParts: ReadonlySet<string>;
  /** Writes approvals of hosted MCP servers as calls of a tool, for versions without approval requests. */
  readonly hasApprovalTool: boolean;
  /** True if packages for chat completions can send files in outputs. Others write them as base64 in a text. */
  readonly hasFilesInChatOutputs: boolean;
  writeFileData(data: FileData): unknown;
  writeFile(file: GeneratedFile): PlainObject;
  /** Adds or removes the fields that the version does not share with the others. */
  writePart(part: PlainObject): PlainObject;
  writeOutput(output: ToolResultOutput): unknown;
  /** Writes the end of a response. It `isCut` if only its stream has ended. */
  writeFinishReason(reason: FinishReason, isCut: boolean): unknown;
  writeUsage(usage: Usage): unknown;
  writeWarning(warning: Warning): unknown;
  /** Rewrites the options of a call for `read.ts`, if it has forms of its own. @default unchanged */
  readOptions?(options: HostOptions): HostOptions;
  /** Rewrites a part of a response, or a generated result, for `read.ts`. @default unchanged */
  readPart?(part: PlainObject): PlainObject;
  /** Additional fields of a generated result. @default none */
  writeResult?(result: { readonly content: readonly Content[]; readonly isJson: boolean }): PlainObject;
  readonly official: OfficialTraits;
}

/** What the models of `@ai-sdk/openai` send of a history, by their version. */
export interface OfficialTraits {
  /** The major of the package. */
  readonly major: number;
  /** True if they send compactions in `custom` parts. */
  readonly sendsCompactions: boolean;
  /** True if they know hosted MCP servers and the approval of their calls. */
  readonly hasHostedServers: boolean;
  /** True if they know the option `allowedTools`. */
  readonly restrictsTools: boolean;
  /** True if they read the call option `reasoning`. */
  readonly readsReasoning: boolean;
  /**
   * True if they send every call of the host as a function call with its item id, and refer to hosted calls by their call
   * id. Others refer to the item of a hosted call and to that of its result.
   */
  readonly refersByCallId: boolean;
  /** Hosted tools whose results are sent with `store: false`, too. */
  readonly rebuiltResults: RegExp;
}

/** Types of parts that hosts of all versions know. */
export const COMMON_PARTS: readonly string[] = (
  'stream-start response-metadata text text-start text-delta text-end reasoning reasoning-start ' +
  'reasoning-delta reasoning-end tool-input-start tool-input-delta tool-input-end tool-call tool-result ' +
  'file reasoning-file source finish raw error'
).split(' ');

/** Returns the metadata of the empty reasoning that carries a `custom` part of a response or a prompt. */
export function writeCarrier(
  part: CarrierPart & { readonly kind: string },
  metadata: ProviderMetadata | undefined,
): ProviderMetadata {
  const { item: _, ...own } = part.own ?? {};
  return toCarrier({ kind: part.kind, metadata, own, item: itemOf(part) });
}

/** Adds the facts of this package to the metadata of a part, which is left out if it is empty. */
export function withMetadata({ providerMetadata, ...part }: PlainObject, own: unknown): PlainObject {
  const metadata = joinFacts(providerMetadata as ProviderMetadata | undefined, own as PlainObject as never);
  return metadata === undefined ? part : { ...part, providerMetadata: metadata };
}

/** Returns the object without some of its fields. */
export function omit(object: PlainObject, ...names: readonly string[]): PlainObject {
  return names.some(name => name in object)
    ? Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
    : object;
}

export const mapOutput = (output: ToolResultOutput, convert: (part: PlainObject) => unknown): unknown =>
  output.type === 'content'
    ? { ...output, value: output.value.map(part => (isPlainObject(part) ? convert(part) : part)) }
    : output;

/*
 * Forms of the versions before 4.
 */

/** Writes the data of a file without a tag. */
export function toUntaggedData(data: FileData): unknown {
  if (data.type === 'data') return data.data;
  return data.type === 'url' ? data.url : data;
}

/** Writes a generated file without a tag. One that is only known by its URL becomes a source. */
export function toUntaggedFile({ data, own, providerMetadata, ...file }: GeneratedFile): PlainObject {
  const facts = file.type === 'reasoning-file' ? { ...own, reasoningFile: true } : own;
  if (data.type === 'data')
    return withMetadata({ ...file, type: 'file', data: data.data, providerMetadata }, facts);
  const url = String(data.url);
  return withMetadata({ type: 'source', sourceType: 'url', id: url, url, providerMetadata }, facts);
}

/** Writes a warning of a type that the version does not have. */
export function toPlainWarning(warning: Warning): PlainObject {
  const { feature, setting, details, message }: PlainObject = { ...warning };
  return { type: 'other', message: [feature ?? setting, details ?? message].filter(Boolean).join(': ') };
}
