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
import type { FunctionTool, HostedTool, WireTool, WireToolChoice } from '../wire.js';
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
  const hostedTools = new Map<string, HostedTool>();
  for (const tool of tools) {
    if (tool.type === 'function') {
      wireTools.push(toFunctionTool(tool, options));
      continue;
    }
    if (HOST_SIDE_TOOLS.has(tool.id)) continue;
    const name = options.toolNames.toWire(tool.name);
    const hosted = isProviderTool(tool) ? toHostedTool({ ...tool, name }) : undefined;
    if (hosted === undefined) options.warn({ type: 'unsupported-tool', tool });
    else {
      wireTools.push(hosted);
      hostedTools.set(tool.name, hosted);
    }
  }
  // Servers refuse a `tool_choice` without tools.
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

/** Tools that only the host knows: the API asks for approval by itself. */
const HOST_SIDE_TOOLS: ReadonlySet<string> = new Set(['openai.mcp_approval_request']);

/** Hosted tools that can be forced: by their type, and by those of their fields that tell them from others. */
const forcibleTypes: Readonly<Record<string, readonly string[]>> = {
  apply_patch: [],
  code_interpreter: [],
  computer: [],
  computer_use_preview: [],
  custom: ['name'],
  file_search: [],
  image_generation: [],
  mcp: ['server_label'],
  shell: [],
  web_search: [],
  web_search_preview: [],
};

function toToolChoice(
  toolChoice: LanguageModelV2ToolChoice,
  {
    hostedTools,
    toolNames,
    wireTools,
  }: { hostedTools: ReadonlyMap<string, HostedTool>; toolNames: ToolNames; wireTools: readonly WireTool[] },
): WireToolChoice {
  if (toolChoice.type !== 'tool') return toolChoice.type;
  const name = toolNames.toWire(toolChoice.toolName);
  const isFunction = wireTools.some(tool => tool.type === 'function' && tool.name === name);
  const hosted = hostedTools.get(toolChoice.toolName) ?? { type: toolChoice.toolName };
  const fields = Object.hasOwn(forcibleTypes, hosted.type) ? forcibleTypes[hosted.type] : undefined;
  if (isFunction || fields === undefined) return { type: 'function', name };
  return { type: hosted.type, ...Object.fromEntries(fields.map(field => [field, hosted[field]])) };
}

/** `ai` 5 writes `provider-defined`, later versions `provider`. */
function isProviderTool(tool: { type: string }): tool is LanguageModelV2ProviderDefinedTool {
  return tool.type === 'provider-defined' || tool.type === 'provider';
}
