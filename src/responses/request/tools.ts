import {
  type LanguageModelV2CallOptions,
  type LanguageModelV2CallWarning,
  type LanguageModelV2FunctionTool,
  type LanguageModelV2ProviderDefinedTool,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { declarationOf, toHostedTool } from '../hosted-tools/index.js';
import type { FunctionTool, NamespaceTool, WireTool, WireToolChoice } from '../wire.js';
import type { ModelTraits } from './model-traits.js';
import {
  type OfficialNamespace,
  readToolOptions,
  type ReadToolOptions,
  type ResponsesCallOptions,
} from './provider-options.js';
import { type SchemaLosses, toAcceptedSchema, toParameters } from './schemas.js';
import { type DeclaredTool, toAllowedTools, toToolChoice } from './tool-choice.js';
import type { NamedTool, ToolNames } from './tool-names.js';

type Warn = (warning: LanguageModelV2CallWarning) => void;

export interface ToToolsOptions {
  readonly toolNames: ToolNames;
  readonly traits: ModelTraits;
  /** `strict` of function tools that do not set it. */
  readonly strict: boolean;
  readonly allowedTools: ResponsesCallOptions['allowedTools'];
  /** The namespace of the official provider's options. */
  readonly official: OfficialNamespace;
  readonly losses: SchemaLosses;
  readonly warn: Warn;
}

/**
 * Converts the tools and the tool choice of a call. Returns neither if there are no tools.
 *
 * @throws UnsupportedFunctionalityError for tools of a namespace with different descriptions, and for a choice or a
 * restriction that cannot be expressed.
 * @throws InvalidArgumentError for an invalid option of a tool.
 */
export function toTools(
  { tools = [], toolChoice }: Pick<LanguageModelV2CallOptions, 'tools' | 'toolChoice'>,
  options: ToToolsOptions,
): { tools?: WireTool[]; tool_choice?: WireToolChoice } {
  const { allowedTools, toolNames, warn } = options;
  const wireTools: WireTool[] = [];
  const namespaces = new Map<string, NamespaceTool>();
  const declared = new Map<string, DeclaredTool>();
  for (const tool of tools) {
    if (tool.type === 'function') {
      const toolOptions = readToolOptions(tool, options);
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
      else toNamespace(namespace, { namespaces, wireTools }).tools.push(wire);
      continue;
    }
    const declaration = declarationOf(tool.id);
    if (declaration !== undefined && declaration.type === undefined) continue;
    const name = toolNames.toWire(tool.name);
    const hosted = isProviderTool(tool) ? toHostedTool({ ...tool, name }) : undefined;
    if (hosted === undefined) {
      warn({ type: 'unsupported-tool', tool });
      continue;
    }
    wireTools.push(hosted);
    declared.set(tool.name, { wire: hosted });
  }
  // Servers reject a `tool_choice` without tools.
  if (wireTools.length === 0) return {};
  // `none` also allows no tool of the list. The tool loop ends the calling of tools with it.
  if (allowedTools !== undefined && toolChoice?.type !== 'none') {
    const isRequired = toolChoice?.type === 'required';
    return {
      tools: wireTools,
      tool_choice: toAllowedTools(allowedTools, { declared, isRequired, warn }),
    };
  }
  if (toolChoice === undefined) return { tools: wireTools };
  return { tools: wireTools, tool_choice: toToolChoice(toolChoice, { declared, toolNames }) };
}

/** Returns the namespace in the request, which is added before its first tool. */
function toNamespace(
  { name, description }: NonNullable<ReadToolOptions['namespace']>,
  { namespaces, wireTools }: { namespaces: Map<string, NamespaceTool>; wireTools: WireTool[] },
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
  tool: LanguageModelV2FunctionTool,
  { async, deferLoading, allowedCallers, outputSchema, namespace }: ReadToolOptions,
  { toolNames, traits, strict, losses, warn }: ToToolsOptions,
): FunctionTool {
  // Function tools of `ai` 6 and 7 have a `strict` field.
  const ownStrict = 'strict' in tool ? tool.strict : undefined;
  const isAsync = async === true && !traits.isGpt6OrLater ? undefined : async;
  if (isAsync !== async) {
    const details = 'Async tool calling is only supported by GPT-6 and later models.';
    warn({ type: 'unsupported-tool', tool, details });
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
    strict: typeof ownStrict === 'boolean' ? ownStrict : strict,
    ...(isAsync !== undefined && { async: isAsync }),
    ...(deferLoading !== undefined && { defer_loading: deferLoading }),
    ...(allowedCallers !== undefined && { allowed_callers: allowedCallers }),
    ...(output !== undefined && { output_schema: output.schema }),
  };
}

/** Returns true for provider-defined tools. Their type is `provider` from `ai` 6 on. */
function isProviderTool(tool: { type: string }): tool is LanguageModelV2ProviderDefinedTool {
  return tool.type === 'provider-defined' || tool.type === 'provider';
}

/** Returns the declared tools that have a name in the request. */
export function* namedToolsOf(
  tools: LanguageModelV2CallOptions['tools'] = [],
  { official }: Pick<ToToolsOptions, 'official'>,
): Generator<NamedTool> {
  for (const tool of tools) {
    if (tool.type === 'function') {
      const { namespace, omitFromRequestTools } = readToolOptions(tool, { official });
      yield { name: tool.name, namespace: namespace?.name, isOmitted: omitFromRequestTools };
    } else if (declarationOf(tool.id)?.isNamedByHost) {
      const { name } = tool.args ?? {};
      yield {
        name: tool.name,
        ...(typeof name === 'string' && name !== '' && { wireName: name }),
      };
    }
  }
}

/** Returns the names of the tools whose outputs the API parses as JSON. */
export function toolsWithOutputSchema(
  tools: LanguageModelV2CallOptions['tools'] = [],
  { official }: Pick<ToToolsOptions, 'official'>,
): ReadonlySet<string> {
  return new Set(
    tools.flatMap(tool =>
      tool.type === 'function' && readToolOptions(tool, { official }).outputSchema !== undefined
        ? [tool.name]
        : [],
    ),
  );
}
