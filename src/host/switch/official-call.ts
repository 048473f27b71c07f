import type { CoreCall } from '../../core/call.js';
import {
  answerPartsOf,
  type Prompt,
  type ProviderOptions,
  type Tool,
  type ToolChoice,
} from '../../core/prompt.js';
import type { Part, Warning } from '../../core/part.js';
import { type CoreModel, transformParts, withOpen } from '../../core/source.js';
import type { SettingOptions } from '../../responses/request/setting-options.js';
import { createToolNames, type NamedTool } from '../../responses/request/tool-names.js';
import { idOf, isPlainObject, objectOf, type PlainObject } from '../../core/shared/json.js';
import { isToolStub } from '../../tools/tool-stubs.js';
import { withoutForeignReasoning } from '../../core/versions/history/foreign-reasoning.js';
import { fromLanguageModel } from '../../core/versions/language-model.js';
import type { OfficialTraits } from '../../core/versions/version.js';
import type { AnyLanguageModel } from '../../core/versions/specification.js';
import { VERSIONS, versionOf } from '../../core/versions/versions.js';
import { toOfficialHistory } from './official-history.js';

/**
 * Wraps an official model of any version, so that it continues histories of this package.
 *
 * @param settings The options of calls that do not set them.
 */
export function continueHistories(official: AnyLanguageModel, settings: SettingOptions = {}): CoreModel {
  const traits = VERSIONS[versionOf(official)].official;
  // The prompt of the call has the form that the model accepts.
  const model = fromLanguageModel(official, { serialize: call => call });
  const { hasOwn, toOwn, fromOwn } = createNamespaces(official.provider);
  return withOpen(model, async received => {
    const { call, toDeclaredName, warnings } = toOfficialCall(fromOwn(received), settings, traits);
    const source = await model.open(toOwn(call));
    if (toDeclaredName === undefined && warnings.length === 0 && !hasOwn) return source;
    return transformParts(source, {
      part(part, emit) {
        if (part.type === 'stream-start') emit({ ...part, warnings: [...warnings, ...part.warnings] });
        else emit(renameTool(fromOwn(part), toDeclaredName));
      },
    });
  });
}

const renameTool = (part: Part, toName: ((name: string) => string) | undefined): Part =>
  toName && 'toolName' in part ? { ...part, toolName: toName(part.toolName) } : part;

/**
 * Converts between the namespace `openai` of histories and those of other packages with OpenAI's models. Models of
 * `@ai-sdk/azure` read and write `azure`, and ignore the options of `openai` next to it. Models that have a name in the
 * settings of `@ai-sdk/openai` 2 write under this name, but read `openai`.
 */
function createNamespaces(provider: string) {
  const readsAzure = provider.includes('azure');
  const names = [provider.replace('.responses', ''), ...(readsAzure ? ['azure'] : [])];
  const own = names.filter(name => name !== 'openai');

  const fromOwnOptions = (options: ProviderOptions): ProviderOptions => {
    const found = own.flatMap(name => options[name] ?? []);
    return found.length === 0 ? options : { ...options, openai: Object.assign({}, options.openai, ...found) };
  };
  const toOwnOptions = (options: ProviderOptions): ProviderOptions =>
    options.openai === undefined ? options : { ...options, azure: { ...options.azure, ...options.openai } };

  return {
    /** True if the model does not write the namespace `openai`. */
    hasOwn: own.length > 0,
    /** Converts a call for the model. */
    toOwn: (call: CoreCall): CoreCall => (readsAzure ? mapMetadata(call, toOwnOptions) : call),
    /** Converts a call or a part to the namespace `openai`. */
    fromOwn: <Value extends object>(value: Value): Value =>
      own.length > 0 ? mapMetadata(value, fromOwnOptions) : value,
  };
}

/** Converts the provider options or metadata of a value, and those of the messages and parts that it contains. */
function mapMetadata<Value extends object>(
  value: Value,
  convert: (metadata: ProviderOptions) => ProviderOptions,
): Value {
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
  readonly providerOptions?: ProviderOptions;
  readonly providerMetadata?: ProviderOptions;
  readonly prompt?: unknown;
  readonly content?: unknown;
}

interface OfficialCall {
  readonly call: CoreCall;
  /** Maps tool names of the response to declared names, if the API rejects a declared name and another one was sent. */
  readonly toDeclaredName?: (name: string) => string;
  /** Reports what was left out of the history. */
  readonly warnings: readonly Warning[];
}

/**
 * Converts a call for the official provider, so that it can continue a conversation of this package's provider. Without
 * such a history, only `store` and, for providers that do not read it, the reasoning option of `ai@7` change.
 */
function toOfficialCall(call: CoreCall, settings: SettingOptions, traits: OfficialTraits): OfficialCall {
  const { own, providerOptions, reasoning } = call;
  const openai = providerOptions?.openai;
  // The official provider's default, `true`, replays items by reference. Items of responses that were not stored exist on
  // no server.
  const store = own.store ?? openai?.store ?? settings.store ?? false;
  const warnings: Warning[] = [];
  const warn = (message: string): void => void warnings.push({ type: 'other', message });
  const mode = own.systemMessageMode ?? openai?.systemMessageMode ?? settings.systemMessageMode;
  // Namespaces of other packages with OpenAI's models have become `openai`.
  const ownCall = { ...call, prompt: withoutForeignReasoning(call.prompt, 'openai') };
  const written = toOfficialHistory(ownCall, { traits, store: store !== false, warn });
  const prompt = mode === 'remove' ? withoutSystem(written, warn) : written;
  const sendable = call.tools?.filter(tool => tool.type !== 'function' || !isToolStub(tool));
  const allowed = allowedToolsOf(call, sendable);
  const isOffered = (tool: Tool): boolean =>
    allowed === undefined ||
    (traits.restrictsTools && allowed.toolNames.length > 0) ||
    allowed.toolNames.includes(tool.name);
  const tools = sendable?.filter(isOffered);
  if (allowed !== undefined && allowed.toolNames.length === 0)
    warn('No tools are sent, because none of `allowedTools` is one of the tools of the call.');
  const effort =
    traits.readsReasoning || reasoning === undefined || reasoning === 'provider-default'
      ? {}
      : { reasoningEffort: reasoning };
  const { systemMessageMode: _, ...given }: PlainObject = { ...effort, ...openai, ...own, store };
  const options: PlainObject = {
    ...given,
    ...((mode === 'system' || mode === 'developer') && { systemMessageMode: mode }),
    allowedTools: allowed !== undefined && allowed.toolNames.length > 0 ? allowed : undefined,
  };
  const isForced = !traits.restrictsTools && allowed?.mode === 'required';
  const choice = isForced && call.toolChoice?.type !== 'none' ? REQUIRED : call.toolChoice;
  const converted: CoreCall = {
    ...call,
    providerOptions: { ...providerOptions, openai: options as ProviderOptions[string] },
    prompt,
    tools: tools?.length === 0 ? undefined : tools,
    toolChoice: toValidChoice(choice, new Set(tools?.map(tool => tool.name))),
  };

  const functions = call.tools?.filter(tool => tool.type === 'function') ?? [];
  const names: NamedTool[] = [...functions.map(tool => ({ name: tool.name })), ...toolNamesIn(prompt)];
  const { toWire, fromWire } = createToolNames(names);
  if (names.every(({ name, namespace }) => toWire(name, namespace) === name))
    return { call: converted, warnings };
  return { call: renameTools(converted, toWire), toDeclaredName: fromWire, warnings };
}

const REQUIRED: ToolChoice = { type: 'required' };

function withoutSystem(prompt: Prompt, warn: (message: string) => void): Prompt {
  const rest = prompt.filter(message => message.role !== 'system');
  if (rest.length < prompt.length) warn('system messages are removed for this model');
  return rest;
}

/**
 * Returns the tools of a call to which it is restricted, by their names or the types of OpenAI's tools. In later rounds of a
 * tool loop, a forced call would be forced again.
 */
function allowedToolsOf(
  call: CoreCall,
  tools: readonly Tool[] = [],
): { toolNames: readonly string[]; mode?: unknown } | undefined {
  const { toolNames, mode } =
    objectOf(call.own.allowedTools ?? call.providerOptions?.openai?.allowedTools) ?? {};
  if (!Array.isArray(toolNames)) return undefined;
  const known = tools.flatMap(tool =>
    tool.type === 'provider' ? [tool.name, tool.id.split('.')[1]] : [tool.name],
  );
  const modeOfRound = call.turn !== undefined && call.turn.round > 1 ? 'auto' : mode;
  return {
    toolNames: toolNames.map(String).filter(name => known.includes(name)),
    ...(modeOfRound !== undefined && { mode: modeOfRound }),
  };
}

/** Drops a choice of tools that are not declared. */
function toValidChoice(choice: ToolChoice | undefined, names: ReadonlySet<string>): ToolChoice | undefined {
  const isValid = choice?.type === 'tool' ? names.has(choice.toolName) : names.size > 0;
  return isValid ? choice : undefined;
}

function renameTools(call: CoreCall, toName: (name: string, namespace?: string) => string): CoreCall {
  const rename = <Named extends object>(part: Named): Named =>
    'toolName' in part ? { ...part, toolName: toName(String(part.toolName), namespaceOf(part)) } : part;
  return {
    ...call,
    prompt: call.prompt.map(message => {
      if (message.role === 'tool') return { ...message, content: message.content.map(rename) };
      return message.role === 'assistant' ? { ...message, content: message.content.map(rename) } : message;
    }),
    tools: call.tools?.map((tool): Tool =>
      tool.type === 'function' ? { ...tool, name: toName(tool.name) } : tool,
    ),
    toolChoice: call.toolChoice && rename(call.toolChoice),
    providerOptions: renameAllowed(call.providerOptions, toName),
  };
}

/** Renames the tools to which the official provider restricts the call. */
function renameAllowed(
  options: ProviderOptions | undefined,
  toName: (name: string) => string,
): ProviderOptions | undefined {
  const allowed = objectOf(options?.openai?.allowedTools);
  if (!Array.isArray(allowed?.toolNames)) return options;
  const toolNames = allowed.toolNames.map(name => toName(String(name)));
  const openai = { ...options?.openai, allowedTools: { ...allowed, toolNames } };
  return { ...options, openai } as ProviderOptions;
}

function* toolNamesIn(prompt: Prompt): Generator<NamedTool> {
  for (const part of answerPartsOf(prompt))
    if ('toolName' in part) {
      const namespace = namespaceOf(part);
      yield { name: part.toolName, ...(namespace !== undefined && { namespace }), isCalled: true };
    }
}

/** Returns the namespace of a call, which this package adds to the name of an undeclared function. */
const namespaceOf = (part: {
  readonly toolName: unknown;
  readonly providerOptions?: unknown;
}): string | undefined => idOf(objectOf(objectOf(part.providerOptions)?.openai)?.namespace);
