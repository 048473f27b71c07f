import type { JSONSchema7, LanguageModelV2Prompt, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { objectOf } from '../shared/json.js';
import { parseToolArguments } from '../tool-calls/tool-arguments.js';
import type { KnownTool, ToolDefinition, ToolOutput } from '../tools/tool-source.js';

/** A call of a tool that the loop runs. */
export interface LoopCall {
  /** Unique in the conversation. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** Arguments as the model wrote them. */
  readonly input: string;
  readonly providerMetadata?: SharedV2ProviderMetadata;
}

/** A finished call with its output. */
export interface CallOutcome {
  readonly call: LoopCall;
  /** Undefined if no tool has the name that the model called. */
  readonly tool: ToolDefinition | undefined;
  readonly output: ToolOutput;
  /** Milliseconds from the tool's start to its end; 0 for a call that did not start. */
  readonly duration: number;
  /** True if the output was read from a record. @default false */
  readonly isReplayed?: boolean;
}

/** A finished tool. */
export interface ToolRun {
  readonly output: ToolOutput;
  /** Milliseconds that a tool ran that was started early. */
  readonly duration?: number;
}

export const isErrorOutput = (output: ToolOutput): boolean =>
  output.type === 'error-text' || output.type === 'error-json' || output.mcp?.isError === true;

export type ParsedInput =
  { success: true; input: Record<string, unknown> } | { success: false; message: string };

/** Parses the arguments of a call. Arguments that cannot be read or repaired produce an error message for the model. */
export function parseInput(
  text: string,
  { toolName, schema }: { toolName: string; schema?: JSONSchema7 },
): ParsedInput {
  const parsed = parseToolArguments(text, { schema });
  return parsed.success
    ? { success: true, input: parsed.input }
    : { success: false, message: `Invalid arguments for tool "${toolName}": ${parsed.reason}.` };
}

/**
 * Returns the arguments of a call as a JSON object, or `{}` if they cannot be read. `ai@5` treats a call with invalid
 * JSON as a call of the host and starts an additional step.
 */
export function toValidJson(input: string, { schema }: { schema?: JSONSchema7 } = {}): string {
  const parsed = parseToolArguments(input, { schema });
  return parsed.success ? parsed.json : '{}';
}

/** Returns the server and the original name of a tool, for events and callbacks. */
export const sourceOf = ({ server, originalName }: Partial<ToolDefinition> = {}): Pick<
  ToolDefinition,
  'server' | 'originalName'
> => ({
  ...(server !== undefined && { server }),
  ...(originalName !== undefined && { originalName }),
});

/**
 * Adds the server and the original name of a tool to the metadata of its call. In a later process, the name alone could
 * refer to another server's tool.
 */
export function withToolIdentity<Call extends Pick<LoopCall, 'providerMetadata'>>(
  call: Call,
  tool: ToolDefinition | undefined,
): Call {
  if (tool?.server === undefined) return call;
  const identity = { server: tool.server, name: tool.originalName ?? tool.name };
  const { providerMetadata } = call;
  return {
    ...call,
    providerMetadata: { ...providerMetadata, kelivo: { ...providerMetadata?.kelivo, tool: identity } },
  };
}

/** Returns what the names of a conversation's calls refer to, from their metadata. */
export function knownToolsOf(prompt: LanguageModelV2Prompt): KnownTool[] {
  const known = new Map<string, KnownTool>();
  for (const { role, content } of prompt) {
    if (role !== 'assistant') continue;
    for (const part of content) {
      if (part.type !== 'tool-call') continue;
      const { server, name: originalName } = objectOf(part.providerOptions?.kelivo?.tool) ?? {};
      if (typeof server !== 'string' || typeof originalName !== 'string') continue;
      known.set(part.toolName, { name: part.toolName, server, originalName });
    }
  }
  return [...known.values()];
}
