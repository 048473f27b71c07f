import { UnsupportedFunctionalityError } from '@ai-sdk/provider';
import type { FunctionTool as CoreFunctionTool, Tool, ToolChoice } from '../../core/prompt.js';
import type { Warning } from '../../core/part.js';
import { idOf, type PlainObject } from '../../core/shared/json.js';
import { declarationOf, declarationOfType, toHostedTool } from '../hosted-tools/index.js';
import type { FunctionTool, NamespaceTool, WireHostedTool, WireTool, WireToolChoice } from '../wire.js';
import type { ModelTraits } from './model-traits.js';
import { toolOptions as toolOptionRows } from './options.js';
import { toRequestFields } from './setting-options.js';
import {
  type OfficialNamespace,
  readToolOptions,
  type ReadToolOptions,
  type ResponsesCallOptions,
} from './read-options.js';
import { type SchemaLosses, toAcceptedSchema, toParameters } from './schemas.js';
import type { NamedTool, ToolNames } from './tool-names.js';

type Warn = (warning: Warning) => void;

/** A tool of a call. Functions have options. */
export type ReadTool =
  | { readonly tool: CoreFunctionTool; readonly options: ReadToolOptions }
  | { readonly tool: Exclude<Tool, CoreFunctionTool>; readonly options?: undefined };

/** @throws InvalidArgumentError for an invalid option of a tool. */
export const readTools = (
  tools: readonly Tool[] = [],
  context: { official: OfficialNamespace; warn: Warn },
): readonly ReadTool[] =>
  tools.map(tool =>
    tool.type === 'function' ? { tool, options: readToolOptions(tool, context) } : { tool },
  );

/** A tool of an extension in the request. */
export interface EncodedTool {
  readonly wire: WireHostedTool;
  /** The choice that requires the tool. Undefined if it cannot be required. */
  readonly choice: { readonly type: string } | undefined;
}

export interface ToToolsOptions {
  /** Tools of extensions, by name. @default none */
  readonly encodedTools?: ReadonlyMap<string, EncodedTool> | undefined;
  readonly toolNames: ToolNames;
  readonly traits: ModelTraits;
  /** `strict` of function tools that do not set it. */
  readonly strict: boolean;
  readonly allowedTools: ResponsesCallOptions['allowedTools'];
  readonly losses: SchemaLosses;
  readonly warn: Warn;
}

/**
 * Converts the tools and the tool choice of a call. Returns neither if there are no tools.
 *
 * @throws UnsupportedFunctionalityError for tools of a namespace with different descriptions, and for a choice or a
 * restriction that cannot be expressed.
 */
export function toTools(
  tools: readonly ReadTool[],
  toolChoice: ToolChoice | undefined,
  options: ToToolsOptions,
): { tools?: WireTool[]; tool_choice?: WireToolChoice } {
  const { allowedTools, toolNames, warn } = options;
  const wireTools: WireTool[] = [];
  const namespaces = new Map<string, NamespaceTool>();
  const declared = new Map<string, ChoosableTool>();
  /** Names of the tools that the API does not have. */
  const omitted = new Set<string>();
  for (const { tool, options: toolOptions } of tools) {
    if (toolOptions !== undefined) {
      const { namespace, omitFromRequestTools: isOmitted = false, deferLoading } = toolOptions;
      declared.set(tool.name, {
        wire: { type: 'function', name: toolNames.toWire(tool.name, namespace?.name) },
        isOmitted,
        isDeferred: deferLoading === true,
        namespace: namespace?.name,
      });
      if (isOmitted) continue;
      const wire = toFunctionTool(tool, toolOptions, options);
      if (namespace === undefined) wireTools.push(wire);
      else toNamespace(namespace, namespaces, wireTools).tools.push(wire);
      continue;
    }
    const declaration = declarationOf(tool.id);
    if (declaration !== undefined && declaration.type === undefined) continue;
    const name = toolNames.toWire(tool.name);
    const encoded = options.encodedTools?.get(tool.name);
    const hosted = encoded?.wire ?? toHostedTool({ ...tool, name });
    if (hosted === undefined) {
      warn({ type: 'unsupported', feature: `tool ${tool.name}`, tool });
      omitted.add(tool.name);
      continue;
    }
    wireTools.push(hosted);
    declared.set(tool.name, { wire: hosted, ...(encoded && { encoded }) });
  }
  if (toolChoice?.type === 'tool' && omitted.has(toolChoice.toolName)) {
    const functionality = `forcing the tool "${toolChoice.toolName}", which the request does not contain`;
    throw new UnsupportedFunctionalityError({ functionality });
  }
  // Servers reject a `tool_choice` without tools.
  if (wireTools.length === 0) return {};
  if (declared.size > MAX_TOOLS) warnAboutCount(declared.values(), warn);
  // `none` also allows no tool of the list. The tool loop ends the calling of tools with it.
  if (allowedTools !== undefined && toolChoice?.type !== 'none') {
    const isRequired = toolChoice?.type === 'required';
    return {
      tools: wireTools,
      tool_choice: toAllowedTools(allowedTools, { declared, isRequired, warn }),
    };
  }
  if (toolChoice === undefined) return { tools: wireTools };
  return { tools: wireTools, tool_choice: toToolChoice(toolChoice, { declared, toWire: toolNames.toWire }) };
}

/** The number of tools up to which requests are known to be accepted. Models choose badly long before. */
const MAX_TOOLS = 128;

function warnAboutCount(
  declared: Iterable<{ readonly isOmitted?: boolean; readonly isDeferred?: boolean }>,
  warn: (warning: Warning) => void,
): void {
  const count = [...declared].filter(entry => !entry.isOmitted && !entry.isDeferred).length;
  if (count <= MAX_TOOLS) return;
  warn({
    type: 'other',
    message:
      `The request has ${count} tools, more than the ${MAX_TOOLS} that the API accepts. Offer fewer, ` +
      'for example with `activeTools`, or defer some with a tool search.',
  });
}

/** Returns the namespace in the request, which is added before its first tool. */
function toNamespace(
  { name, description }: NonNullable<ReadToolOptions['namespace']>,
  namespaces: Map<string, NamespaceTool>,
  wireTools: WireTool[],
): NamespaceTool {
  const known = namespaces.get(name);
  if (known === undefined) {
    const namespace: NamespaceTool = { type: 'namespace', name, description, tools: [] };
    namespaces.set(name, namespace);
    wireTools.push(namespace);
    return namespace;
  }
  if (known.description === description) return known;
  const functionality = `conflicting descriptions for OpenAI tool namespace "${name}"`;
  throw new UnsupportedFunctionalityError({
    functionality,
    message:
      `Expected all tools of the namespace "${name}" to have the same description of it, got ` +
      `${JSON.stringify(known.description)} and ${JSON.stringify(description)}. Use one description.`,
  });
}

function toFunctionTool(
  tool: CoreFunctionTool,
  options: ReadToolOptions,
  { toolNames, traits, strict, losses, warn }: ToToolsOptions,
): FunctionTool {
  const { async, outputSchema, namespace } = options;
  const isAsync = async === true && !traits.isGpt6OrLater ? undefined : async;
  if (isAsync !== async) {
    const details = 'Async tool calling is only supported by GPT-6 and later models.';
    warn({ type: 'unsupported', feature: `tool ${tool.name}`, details, tool });
  }
  const parameters = toParameters(tool.inputSchema);
  const output = outputSchema === undefined ? undefined : toAcceptedSchema(outputSchema);
  losses.add([...parameters.losses, ...(output?.losses ?? [])], tool.name);
  return {
    type: 'function',
    name: toolNames.toWire(tool.name, namespace?.name),
    ...(tool.description !== undefined && { description: tool.description }),
    parameters: parameters.schema,
    // The default of the API is strict. Most schemas of MCP servers do not satisfy it.
    strict: tool.strict ?? strict,
    ...(isAsync !== undefined && { async: isAsync }),
    ...toRequestFields(toolOptionRows, options),
    ...(output !== undefined && { output_schema: output.schema }),
  };
}

/** Returns the tools that have a name in the request. */
export function* namedToolsOf(tools: readonly ReadTool[]): Generator<NamedTool> {
  for (const { tool, options } of tools) {
    if (options !== undefined) {
      const { namespace, omitFromRequestTools } = options;
      yield { name: tool.name, namespace: namespace?.name, isOmitted: omitFromRequestTools };
    } else if (declarationOf(tool.id)?.isNamedByHost) {
      const wireName = idOf(tool.args.name);
      yield { name: tool.name, ...(wireName !== undefined && { wireName }) };
    }
  }
}

/** A tool of a call, as the choice refers to it. */
export interface ChoosableTool {
  /** Type and name of a function, or the declaration of a hosted tool. */
  readonly wire: { readonly type: string } & PlainObject;
  /** The tool of an extension. @default none */
  readonly encoded?: EncodedTool;
  /** True for a function that is not in the request. @default false */
  readonly isOmitted?: boolean;
  /** True for a function that tool search has to find. @default false */
  readonly isDeferred?: boolean;
  /** The namespace of a function. @default none */
  readonly namespace?: string;
}

type ChoosableTools = ReadonlyMap<string, ChoosableTool>;

/** @throws UnsupportedFunctionalityError for a tool that the request does not contain, or cannot identify. */
function toToolChoice(
  toolChoice: ToolChoice,
  options: { declared: ChoosableTools; toWire: (name: string) => string },
): WireToolChoice {
  if (toolChoice.type !== 'tool') return toolChoice.type;
  const { toolName } = toolChoice;
  const tool = options.declared.get(toolName);
  if (tool?.isOmitted) {
    throw new UnsupportedFunctionalityError({
      functionality:
        `forcing tool "${toolName}" omitted from the request tools array; ` +
        'use automatic tool choice for history-loaded tools',
    });
  }
  if (tool?.wire.type === 'function' && isAmbiguous(tool, options.declared)) {
    throw new UnsupportedFunctionalityError({
      functionality: `forcing tool "${toolName}", because another namespace has a function of the same name`,
    });
  }
  if (tool?.encoded !== undefined) {
    if (tool.encoded.choice !== undefined) return tool.encoded.choice;
    const functionality = `forcing the tool "${toolName}", whose extension cannot encode the choice`;
    throw new UnsupportedFunctionalityError({ functionality });
  }
  const wire = tool?.wire ?? { type: toolName };
  const choiceFields = declarationOfType(wire.type)?.choiceFields;
  if (wire.type === 'function' || choiceFields === undefined) {
    return { type: 'function', name: idOf(wire.name) ?? options.toWire(toolName) };
  }
  return { type: wire.type, ...Object.fromEntries(choiceFields.map(field => [field, wire[field]])) };
}

/** Returns true if another function has the same name in the request. A choice cannot contain a namespace. */
const isAmbiguous = (tool: ChoosableTool, declared: ChoosableTools): boolean =>
  [...declared.values()].some(
    other =>
      other !== tool &&
      other.isOmitted !== true &&
      other.wire.type === 'function' &&
      other.wire.name === tool.wire.name,
  );

/** Fields that identify a tool in the list of allowed tools, by type. Other tools cannot be in it. */
const ALLOWED_TOOL_FIELDS: Readonly<Record<string, readonly string[]>> = {
  function: ['name'],
  custom: ['name'],
  mcp: ['server_label'],
  file_search: [],
  web_search: [],
  web_search_2025_08_26: [],
  web_search_preview: [],
  web_search_preview_2025_03_11: [],
  image_generation: [],
  code_interpreter: [],
  computer: [],
  computer_use_preview: [],
  apply_patch: [],
  shell: [],
  local_shell: [],
  programmatic_tool_calling: [],
};

/**
 * Converts the option `allowedTools`. A tool that cannot be allowed is left out with a warning, so that the model can call
 * fewer tools, never more.
 *
 * @throws UnsupportedFunctionalityError if no tool is left.
 */
function toAllowedTools(
  allowedTools: NonNullable<ResponsesCallOptions['allowedTools']>,
  options: {
    declared: ChoosableTools;
    /** True if the tool choice requires a call, which the mode overrides. */
    isRequired: boolean;
    warn: (warning: Warning) => void;
  },
): WireToolChoice {
  const entries: PlainObject[] = [];
  for (const name of allowedTools.toolNames) {
    const resolved = resolveAllowedTool(name, options.declared);
    if (typeof resolved !== 'string') {
      entries.push(resolved);
      continue;
    }
    options.warn({
      type: 'other',
      message: `allowedTools entry "${name}": ${resolved}; the tool is removed from the allowed tools.`,
    });
  }
  if (entries.length > 0) {
    return {
      type: 'allowed_tools',
      mode: allowedTools.mode ?? (options.isRequired ? 'required' : 'auto'),
      tools: entries,
    };
  }
  throw new UnsupportedFunctionalityError({
    functionality: `allowedTools with only tools that cannot be allow-listed (${allowedTools.toolNames.join(', ')})`,
  });
}

/** Returns the entry of a tool, or why it has none. */
function resolveAllowedTool(name: string, declared: ChoosableTools): PlainObject | string {
  const tool = declared.get(name) ?? findByType(name, declared);
  if (tool === undefined) return 'the tool is not part of the tools for this request';
  if (tool === 'ambiguous') {
    return 'several tools in this request have this type; use the name of the tool in this request';
  }
  const { wire, isOmitted, isDeferred, namespace } = tool;
  if (isOmitted) return 'tools omitted from the request tools array cannot be allow-listed';
  if (namespace !== undefined) {
    return 'tools inside an OpenAI tool namespace are not visible to tool_choice.allowed_tools';
  }
  if (isDeferred) return 'deferred tools are not visible to tool_choice.allowed_tools';
  const fields = Object.hasOwn(ALLOWED_TOOL_FIELDS, wire.type) ? ALLOWED_TOOL_FIELDS[wire.type] : undefined;
  if (fields === undefined) {
    return `OpenAI does not support ${wire.type} tools in tool_choice.allowed_tools`;
  }
  return { type: wire.type, ...Object.fromEntries(fields.map(field => [field, wire[field]])) };
}

/** Finds a hosted tool by its type. A host may declare it under any name. */
function findByType(type: string, declared: ChoosableTools): ChoosableTool | 'ambiguous' | undefined {
  const [first, ...others] = [...declared.values()].filter(
    tool => tool.wire.type === type && tool.wire.type !== 'function' && tool.wire.type !== 'custom',
  );
  return others.length > 0 ? 'ambiguous' : first;
}
