import type {
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2FunctionTool,
  LanguageModelV2ProviderDefinedTool,
  LanguageModelV2ToolChoice,
} from '@ai-sdk/provider';
import { isPlainObject } from '../../shared/json.js';
import { declarationOf, declarationOfType, toHostedTool } from '../hosted-tools/index.js';
import type { FunctionTool, WireHostedTool, WireTool, WireToolChoice } from '../wire.js';
import type { ModelTraits } from './model-settings.js';
import { readPartOptions } from './provider-options.js';
import type { ToolNames } from './tool-names.js';

export interface ToToolsOptions {
  readonly toolNames: ToolNames;
  readonly traits: ModelTraits;
  /** `strict` of function tools that do not set it. */
  readonly strict: boolean;
  readonly warn: (warning: LanguageModelV2CallWarning) => void;
}

/** Converts the tools and the tool choice of a call. Returns neither if there are no tools. */
export function toTools(
  { tools = [], toolChoice }: Pick<LanguageModelV2CallOptions, 'tools' | 'toolChoice'>,
  options: ToToolsOptions,
): { tools?: WireTool[]; tool_choice?: WireToolChoice } {
  const wireTools: WireTool[] = [];
  const hostedTools = new Map<string, WireHostedTool>();
  for (const tool of tools) {
    if (tool.type === 'function') {
      wireTools.push(toFunctionTool(tool, options));
      continue;
    }
    const declaration = declarationOf(tool.id);
    if (declaration !== undefined && declaration.type === undefined) continue;
    const name = options.toolNames.toWire(tool.name);
    const hosted = isProviderTool(tool) ? toHostedTool({ ...tool, name }) : undefined;
    if (hosted === undefined) {
      options.warn({ type: 'unsupported-tool', tool });
      continue;
    }
    wireTools.push(hosted);
    hostedTools.set(tool.name, hosted);
  }
  // Servers reject a `tool_choice` without tools.
  if (wireTools.length === 0) return {};
  if (toolChoice === undefined) return { tools: wireTools };
  return {
    tools: wireTools,
    tool_choice: toToolChoice(toolChoice, { hostedTools, toolNames: options.toolNames, wireTools }),
  };
}

function toFunctionTool(
  tool: LanguageModelV2FunctionTool,
  { toolNames, traits, strict, warn }: ToToolsOptions,
): FunctionTool {
  // Function tools of `ai` 6 and 7 have a `strict` field.
  const ownStrict = 'strict' in tool ? tool.strict : undefined;
  const { async } = readPartOptions(tool.providerOptions);
  const isAsync = async === true && !traits.isGpt6OrLater ? undefined : async;
  if (isAsync !== async) {
    const details = 'Async tool calling is only supported by GPT-6 and later models.';
    warn({ type: 'unsupported-tool', tool, details });
  }
  return {
    type: 'function',
    name: toolNames.toWire(tool.name),
    ...(tool.description !== undefined && { description: tool.description }),
    parameters: normalizeSchema(tool.inputSchema),
    // The default of the API is strict. Most schemas of MCP servers do not satisfy it.
    strict: typeof ownStrict === 'boolean' ? ownStrict : strict,
    ...(isAsync !== undefined && { async: isAsync }),
  };
}

function toToolChoice(
  toolChoice: LanguageModelV2ToolChoice,
  {
    hostedTools,
    toolNames,
    wireTools,
  }: {
    hostedTools: ReadonlyMap<string, WireHostedTool>;
    toolNames: ToolNames;
    wireTools: readonly WireTool[];
  },
): WireToolChoice {
  if (toolChoice.type !== 'tool') return toolChoice.type;
  const name = toolNames.toWire(toolChoice.toolName);
  const isFunction = wireTools.some(tool => tool.type === 'function' && tool.name === name);
  const hosted = hostedTools.get(toolChoice.toolName) ?? { type: toolChoice.toolName };
  const choiceFields = declarationOfType(hosted.type)?.choiceFields;
  if (isFunction || choiceFields === undefined) return { type: 'function', name };
  return { type: hosted.type, ...Object.fromEntries(choiceFields.map(field => [field, hosted[field]])) };
}

/** Returns true for provider-defined tools. Their type is `provider` from `ai` 6 on. */
function isProviderTool(tool: { type: string }): tool is LanguageModelV2ProviderDefinedTool {
  return tool.type === 'provider-defined' || tool.type === 'provider';
}

/**
 * Converts a tool's schema to one that the API accepts: of type `object`, with `properties`, without `$schema`. For
 * tools without arguments, MCP servers send `{}`, nothing or `type: null`.
 *
 * @internal
 */
export function normalizeSchema(schema: unknown): object {
  if (!isPlainObject(schema)) return emptySchema();
  const { $schema: _, ...rest } = schema;
  const hasProperties = isPlainObject(rest.properties);
  const isObjectSchema = rest.type === undefined || [rest.type].flat().includes('object');
  if (!isObjectSchema && !hasProperties) return emptySchema();
  return { ...rest, type: 'object', properties: hasProperties ? rest.properties : {} };
}

function emptySchema(): object {
  return { type: 'object', properties: {} };
}
