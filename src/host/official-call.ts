import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2Message,
  LanguageModelV2Prompt,
  LanguageModelV2StreamPart,
  LanguageModelV2ToolChoice,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import { createToolNames, type NamedTool } from '../responses/request/tool-names.js';
import { approvalResponsesOf, type HostVersion } from '../parts/call-marks.js';
import { isHostedToolPart } from '../tool-calls/hosted-tools.js';
import { toHostEffort } from '../responses/request/model-settings.js';
import { idOf, isPlainObject, objectOf } from '../shared/json.js';
import { isContinuation, pairToolCalls } from '../tool-calls/call-pairing.js';
import { withHiddenCalls } from '../tool-loop/hidden-calls.js';
import { transformParts } from '../parts/transform.js';
import type { LanguageModelV3 } from '../v3/specification.js';
import type { LanguageModelV4 } from '../v4/specification.js';
import { isToolStub } from '../tools/tool-stubs.js';
import { partsOf, toOfficialHistory, toOfficialOutput } from './official-history.js';

/** A model of the official provider. */
export type OfficialModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

/**
 * Wraps an official model of any version in the corrections for histories of this package. The parts that they change are
 * the same in all versions.
 */
export function continueHistories(official: OfficialModel, { store }: { store: boolean }): OfficialModel {
  const version = official.specificationVersion;
  const model = official as LanguageModelV2;
  const { hasOwn, toOwn, fromOwn } = createNamespaces(model.provider);
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(callOptions) {
      const { options, toDeclaredName, warnings } = toOfficialCall(fromOwn(callOptions), { store, version });
      const result = fromOwn(await model.doGenerate(toOwn(options)));
      return {
        ...result,
        content: result.content.map(part => renameTool(part, toDeclaredName)),
        warnings: [...warnings, ...result.warnings],
      };
    },
    async doStream(callOptions) {
      const { options, toDeclaredName, warnings } = toOfficialCall(fromOwn(callOptions), { store, version });
      const result = await model.doStream(toOwn(options));
      if (toDeclaredName === undefined && warnings.length === 0 && !hasOwn) return result;
      const stream = transformParts(result.stream, {
        part(part, emit) {
          if (part.type === 'stream-start') emit({ ...part, warnings: [...warnings, ...part.warnings] });
          else emit(renameTool(fromOwn(part), toDeclaredName));
        },
      });
      return { ...result, stream };
    },
  };
}

const renameTool = <Part extends LanguageModelV2Content | LanguageModelV2StreamPart>(
  part: Part,
  toName: ((name: string) => string) | undefined,
): Part => (toName && 'toolName' in part ? { ...part, toolName: toName(part.toolName) } : part);

/**
 * Converts between the namespace `openai` of histories and those of other packages with OpenAI's models. Models of
 * `@ai-sdk/azure` read and write `azure`, and ignore the options of `openai` next to it. Models that have a name in the
 * settings of `@ai-sdk/openai` 2 write under this name, but read `openai`.
 */
function createNamespaces(provider: string) {
  const readsAzure = provider.includes('azure');
  const names = [provider.replace('.responses', ''), ...(readsAzure ? ['azure'] : [])];
  const own = names.filter(name => name !== 'openai');

  const fromOwnOptions = (options: Metadata): Metadata => {
    const found = own.flatMap(name => options[name] ?? []);
    return found.length === 0 ? options : { ...options, openai: Object.assign({}, options.openai, ...found) };
  };
  const toOwnOptions = (options: Metadata): Metadata =>
    options.openai === undefined ? options : { ...options, azure: { ...options.azure, ...options.openai } };

  return {
    /** True if the model does not write the namespace `openai`. */
    hasOwn: own.length > 0,
    /** Converts the options of a call for the model. */
    toOwn: (options: LanguageModelV2CallOptions): LanguageModelV2CallOptions =>
      readsAzure ? mapMetadata(options, toOwnOptions) : options,
    /** Converts the options of a call, a result or a part to the namespace `openai`. */
    fromOwn: <Value extends object>(value: Value): Value =>
      own.length > 0 ? mapMetadata(value, fromOwnOptions) : value,
  };
}

type Metadata = SharedV2ProviderMetadata;

/** Converts the provider options or metadata of a value, and those of the messages and parts that it contains. */
function mapMetadata<Value extends object>(value: Value, convert: (metadata: Metadata) => Metadata): Value {
  const { providerOptions, providerMetadata, prompt, content }: MetadataOwner = value;
  const each = (values: unknown) =>
    Array.isArray(values)
      ? values.map((one: unknown) => (isPlainObject(one) ? mapMetadata(one, convert) : one))
      : values;
  return {
    ...value,
    ...(providerOptions && { providerOptions: convert(providerOptions) }),
    ...(providerMetadata && { providerMetadata: convert(providerMetadata) }),
    ...(prompt !== undefined && { prompt: each(prompt) }),
    ...(content !== undefined && { content: each(content) }),
  };
}

interface MetadataOwner {
  readonly providerOptions?: Metadata;
  readonly providerMetadata?: Metadata;
  readonly prompt?: unknown;
  readonly content?: unknown;
}

interface OfficialCall {
  readonly options: LanguageModelV2CallOptions;
  /** Maps tool names of the response to declared names, if the API rejects a declared name and another one was sent. */
  readonly toDeclaredName?: (name: string) => string;
  /** Reports what was left out of the history. This type of warning exists in all versions. */
  readonly warnings: readonly { type: 'other'; message: string }[];
}

/**
 * Converts the options of a call for the official provider of the same version, so that it can continue a conversation of
 * this package's provider. Without such a history, only `store` and, for versions 2 and 3, the reasoning option of `ai@7`
 * change.
 */
function toOfficialCall(
  options: LanguageModelV2CallOptions,
  { store: storeByDefault, version }: { store: boolean; version: HostVersion },
): OfficialCall {
  const { openai, kelivo } = options.providerOptions ?? {};
  // The official provider's default, `true`, replays items by reference. Items of responses that were not stored exist on
  // no server.
  const store = kelivo?.store ?? openai?.store ?? storeByDefault;
  const isStored = store !== false;
  const warnings: { type: 'other'; message: string }[] = [];
  const history = toOfficialHistory(withHiddenCalls(options.prompt), {
    version,
    store: isStored,
    responses: approvalResponsesOf(options.providerOptions),
    warn: message => void warnings.push({ type: 'other', message }),
  });

  const functions = options.tools?.filter(tool => tool.type === 'function') ?? [];
  const functionNames = new Set(functions.map(tool => tool.name));
  const hostedNames = new Set(options.tools?.map(tool => tool.name).filter(name => !functionNames.has(name)));
  const paired = pairToolCalls(history, {
    keepOrphans: isContinuation(options),
    isFunctionTool: toolName => functionNames.has(toolName),
    isHostedTool: part => hostedNames.has(part.toolName) || isHostedToolPart(part),
  });
  const prompt = withOutputs(withoutTrailingReasoning(paired, { store: isStored, version }), version);
  const tools = options.tools?.filter(tool => tool.type !== 'function' || !isToolStub(tool));
  const converted = {
    ...options,
    providerOptions: {
      ...options.providerOptions,
      openai: { ...(version !== 'v4' && toReasoningEffort(options)), ...openai, ...kelivo, store },
    },
    prompt,
    tools: tools?.length === 0 ? undefined : tools,
    toolChoice: toValidChoice(options.toolChoice, new Set(tools?.map(tool => tool.name))),
  };

  const names: NamedTool[] = [...functions.map(({ name }) => ({ name })), ...toolNamesIn(prompt)];
  const { toWire, fromWire } = createToolNames(names);
  if (names.every(({ name, namespace }) => toWire(name, namespace) === name))
    return { options: converted, warnings };
  return { options: renameTools(converted, toWire), toDeclaredName: fromWire, warnings };
}

/** `ai@7` requests reasoning with a call option that the official providers of versions 2 and 3 do not read. */
function toReasoningEffort(options: LanguageModelV2CallOptions): { reasoningEffort?: string } {
  const reasoningEffort = toHostEffort(options);
  return reasoningEffort === undefined ? {} : { reasoningEffort };
}

/** Drops a choice of tools that are not declared. */
function toValidChoice(
  choice: LanguageModelV2ToolChoice | undefined,
  names: ReadonlySet<string>,
): LanguageModelV2ToolChoice | undefined {
  const isValid = choice?.type === 'tool' ? names.has(choice.toolName) : names.size > 0;
  return isValid ? choice : undefined;
}

function renameTools(
  { prompt, tools, toolChoice, ...options }: LanguageModelV2CallOptions,
  toName: (name: string, namespace?: string) => string,
): LanguageModelV2CallOptions {
  const rename = <Part extends object>(part: Part): Part =>
    'toolName' in part ? { ...part, toolName: toName(String(part.toolName), namespaceOf(part)) } : part;
  return {
    ...options,
    prompt: prompt.map((message): LanguageModelV2Message => {
      if (message.role === 'tool') return { ...message, content: message.content.map(rename) };
      return message.role === 'assistant' ? { ...message, content: message.content.map(rename) } : message;
    }),
    tools: tools?.map(tool => (tool.type === 'function' ? { ...tool, name: toName(tool.name) } : tool)),
    toolChoice: toolChoice && rename(toolChoice),
  };
}

function* toolNamesIn(prompt: LanguageModelV2Prompt): Generator<NamedTool> {
  for (const part of partsOf(prompt))
    if ('toolName' in part) yield { name: part.toolName, namespace: namespaceOf(part) };
}

/** Returns the namespace of a call, which this package adds to the name of an undeclared function. */
function namespaceOf(part: object): string | undefined {
  const options = 'providerOptions' in part ? objectOf(part.providerOptions) : undefined;
  return idOf(objectOf(options?.openai)?.namespace);
}

/** Converts the outputs of tools to the version of the official model. */
const withOutputs = (prompt: LanguageModelV2Prompt, version: HostVersion): LanguageModelV2Prompt =>
  prompt.map((message): LanguageModelV2Message => {
    const convert = <Part extends object>(part: Part): Part =>
      'output' in part ? { ...part, output: toOfficialOutput(part.output, version) } : part;
    if (message.role === 'tool') return { ...message, content: message.content.map(convert) };
    return message.role === 'assistant' ? { ...message, content: message.content.map(convert) } : message;
  });

/** Removes reasoning at the end of an interrupted turn: the API rejects it without the item that follows. */
function withoutTrailingReasoning(
  prompt: LanguageModelV2Prompt,
  replay: { store: boolean; version: HostVersion },
): LanguageModelV2Prompt {
  return prompt.flatMap((message, index): LanguageModelV2Message[] => {
    const next = prompt[index + 1];
    if (message.role !== 'assistant' || next?.role === 'assistant' || isApprovalAnswer(next))
      return [message];
    const last = message.content.findLastIndex(part => isItem(part, replay));
    const content = message.content.filter((part, at) => part.type !== 'reasoning' || at <= last);
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** Returns true for a message whose approval responses refer to items of the turn before it. */
const isApprovalAnswer = (message: LanguageModelV2Message | undefined): boolean =>
  message?.role === 'tool' &&
  message.content.some(({ type }: { type: string }) => type === 'tool-approval-response');

/** Results of these hosted tools are sent with `store: false`, too, by version 3 and later of the official provider. */
const REBUILT_RESULTS = /^(?:web_search(?:_preview)?|tool_search|shell|programmatic_tool_calling)$/;

/** Returns true if the official provider sends the part as an item that may follow reasoning. */
function isItem(
  part: Extract<LanguageModelV2Message, { role: 'assistant' }>['content'][number],
  { store, version }: { store: boolean; version: HostVersion },
): boolean {
  const { type }: { type: string } = part;
  if (part.type === 'tool-call') return part.providerExecuted !== true;
  if (part.type === 'tool-result') return store || (version !== 'v2' && REBUILT_RESULTS.test(part.toolName));
  // A reasoning part with the id of another item is sent as a reference to that item.
  const itemId = part.type === 'reasoning' ? idOf(part.providerOptions?.openai?.itemId) : undefined;
  const isReference = store && itemId?.startsWith('rs') === false;
  return type === 'text' || type === 'custom' || isReference;
}
