import type { JSONSchema7 } from '@ai-sdk/provider';
import { parseToolArguments } from './tool-arguments.js';
import { normalizeToolName } from './tool-names.js';

/** The options of `experimental_repairToolCall` that are used here. */
export interface RepairToolCallOptions<Call extends RepairableToolCall> {
  /** The call that the host could not run. */
  readonly toolCall: Call;
  /** The tools of the host, by name. */
  readonly tools: object;
  /** Returns the JSON Schema of a tool's arguments. */
  readonly inputSchema: (options: { toolName: string }) => JSONSchema7 | PromiseLike<JSONSchema7>;
}

/** A tool call as the model wrote it. */
export interface RepairableToolCall {
  readonly toolName: string;
  /** Arguments as JSON text. */
  readonly input: string;
}

/**
 * Repairs the name and the arguments of a call that `ai` could not read, by the rules of `normalizeToolName` and
 * `parseToolArguments`. It is a value for the option `experimental_repairToolCall` of `ai` 5, 6 and 7.
 *
 * @returns null if the call cannot be repaired, for example because its arguments are truncated, and if these rules
 *   change nothing.
 */
export async function repairToolCall<Call extends RepairableToolCall>({
  toolCall,
  tools,
  inputSchema,
}: RepairToolCallOptions<Call>): Promise<Call | null> {
  const toolName = normalizeToolName(toolCall.toolName, new Set(Object.keys(tools)));
  if (toolName === undefined) return null;
  const parsed = parseToolArguments(toolCall.input, { schema: await inputSchema({ toolName }) });
  if (!parsed.success || (toolName === toolCall.toolName && !parsed.isRepaired)) return null;
  return { ...toolCall, toolName, input: parsed.json };
}
