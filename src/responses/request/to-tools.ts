import type {
  LanguageModelV2CallOptions,
  LanguageModelV2CallWarning,
  LanguageModelV2FunctionTool,
  LanguageModelV2ProviderDefinedTool,
  LanguageModelV2ToolChoice,
} from '@ai-sdk/provider';
import type { ModelTraits } from './model-traits.js';
import { normalizeSchema } from './normalize-schema.js';
import { readPartOptions } from './part-options.js';
import type { FunctionTool, WireTool, WireToolChoice } from './request-body.js';
import { toHostedTool } from './to-hosted-tool.js';
import type { ToolNames } from './tool-names.js';

export interface ToToolsOptions {
  readonly toolNames: ToolNames;
  readonly traits: ModelTraits;
  /** Whether functions are strict unless they say otherwise themselves. */
  readonly strict: boolean;
  readonly warn: (warning: LanguageModelV2CallWarning) => void;
}

/** The tools of a request and which of them the model is to use; neither when there are no tools. */
export function toTools(
  { tools = [], toolChoice }: Pick<LanguageModelV2CallOptions, 'tools' | 'toolChoice'>,
  options: ToToolsOptions,
): { tools?: WireTool[]; tool_choice?: WireToolChoice } {
  const wireTools: WireTool[] = [];
  const hostedTypes = new Map<string, string>();
  for (const tool of tools) {
    if (tool.type === 'function') {
      wireTools.push(toFunctionTool(tool, options));
      continue;
    }
    const hosted = isProviderTool(tool) ? toHostedTool(tool) : undefined;
    if (hosted === undefined) options.warn({ type: 'unsupported-tool', tool });
    else {
      wireTools.push(hosted);
      hostedTypes.set(tool.name, hosted.type);
    }
  }
  // Servers refuse a `tool_choice` without tools.
  if (wireTools.length === 0) return {};
  if (toolChoice === undefined) return { tools: wireTools };
  return {
    tools: wireTools,
    tool_choice: toToolChoice(toolChoice, { hostedTypes, toolNames: options.toolNames, wireTools }),
  };
}

function toFunctionTool(
  tool: LanguageModelV2FunctionTool,
  { toolNames, traits, strict, warn }: ToToolsOptions,
): FunctionTool {
  // `ai` 6 and 7 let a tool say for itself whether it is strict.
  const { strict: ownStrict } = tool as { strict?: unknown };
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
    // The API's own default is strict, which most schemas of MCP servers do not satisfy.
    strict: typeof ownStrict === 'boolean' ? ownStrict : strict,
    ...(isAsync !== undefined && { async: isAsync }),
  };
}

/** Hosted tools that can be forced by their type alone. */
const forcibleTypes = new Set([
  'code_interpreter',
  'file_search',
  'image_generation',
  'web_search',
  'web_search_preview',
]);

function toToolChoice(
  toolChoice: LanguageModelV2ToolChoice,
  {
    hostedTypes,
    toolNames,
    wireTools,
  }: { hostedTypes: ReadonlyMap<string, string>; toolNames: ToolNames; wireTools: readonly WireTool[] },
): WireToolChoice {
  if (toolChoice.type !== 'tool') return toolChoice.type;
  const name = toolNames.toWire(toolChoice.toolName);
  const isFunction = wireTools.some(tool => tool.type === 'function' && tool.name === name);
  const hostedType = hostedTypes.get(toolChoice.toolName) ?? toolChoice.toolName;
  return !isFunction && forcibleTypes.has(hostedType) ? { type: hostedType } : { type: 'function', name };
}

/** `ai` 5 writes `provider-defined`, later versions `provider`. */
function isProviderTool(tool: { type: string }): tool is LanguageModelV2ProviderDefinedTool {
  return tool.type === 'provider-defined' || tool.type === 'provider';
}
