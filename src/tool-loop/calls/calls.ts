import type { JSONSchema7 } from '@ai-sdk/provider';
import type { OutputContent, PartFacts, ProviderMetadata } from '../../core/prompt.js';
import { parseToolArguments } from '../../tool-calls/tool-arguments.js';
import type { ToolDefinition, ToolOutput } from '../../tools/tool-source.js';

/** A call of a tool that the loop runs. */
export interface LoopCall {
  /** Unique in the conversation. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** Arguments as the model wrote them. */
  readonly input: string;
  readonly providerMetadata?: ProviderMetadata | undefined;
  readonly own?: PartFacts | undefined;
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
 * Adds the server and the original name of a tool to the facts of its call. In a later process, the name alone could
 * refer to another server's tool.
 */
export function withToolIdentity<Call extends Pick<LoopCall, 'own'>>(
  call: Call,
  tool: ToolDefinition | undefined,
): Call {
  if (tool?.server === undefined) return call;
  return {
    ...call,
    own: { ...call.own, tool: { server: tool.server, name: tool.originalName ?? tool.name } },
  };
}

/** Maximum size of one tool output. */
export interface OutputLimits {
  readonly maxChars: number;
  /** Maximum size of each media part in bytes. */
  readonly maxMediaBytes: number;
}

/**
 * Truncates an output that is too long. Truncated JSON becomes text. Returns the same object if nothing is too long.
 * Text that was truncated for the model does not reach the host in another form either.
 */
export function limitOutput(output: ToolOutput, limits: OutputLimits): ToolOutput {
  const limited = limitValue(output, limits);
  const { mcp } = output;
  if (limited === output || mcp === undefined) return limited;
  const { content: _content, structuredContent: _structured, ...kept } = mcp;
  return { ...limited, mcp: kept };
}

function limitValue(output: ToolOutput, limits: OutputLimits): ToolOutput {
  const { maxChars } = limits;
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value.length <= maxChars
        ? output
        : { type: output.type, value: truncateText(output.value, { maxChars }) };
    case 'json':
    case 'error-json': {
      const text = JSON.stringify(output.value);
      if (text.length <= maxChars) return output;
      return {
        type: output.type === 'json' ? 'text' : 'error-text',
        value: truncateText(text, { maxChars }),
      };
    }
    case 'content': {
      const value = limitContent(output.value, limits);
      const isSame = value.every((part, index) => part === output.value[index]);
      return isSame && value.length === output.value.length ? output : { type: 'content', value };
    }
  }
}

/** All texts share one limit: the text that exceeds it is truncated, and later ones are omitted. */
function limitContent(content: readonly OutputContent[], { maxChars, maxMediaBytes }: OutputLimits) {
  let room = maxChars;
  let omitted = 0;
  const limited = content.flatMap((part): OutputContent[] => {
    const text = textOf(part);
    if (text === undefined) return [limitMedia(part, { maxMediaBytes })];
    if (room <= 0) {
      omitted++;
      return [];
    }
    const shown = truncateText(text, { maxChars: room });
    room -= text.length;
    return shown === text ? [part] : [{ type: 'text', text: shown }];
  });
  if (omitted > 0) limited.push({ type: 'text', text: `[… ${omitted} more texts omitted …]` });
  return limited;
}

function textOf(part: OutputContent): string | undefined {
  if (part.type === 'text') return part.text;
  return part.type === 'file' && part.data.type === 'text' ? part.data.text : undefined;
}

function limitMedia(
  part: OutputContent,
  { maxMediaBytes }: Pick<OutputLimits, 'maxMediaBytes'>,
): OutputContent {
  if (part.type !== 'file' || part.data.type !== 'data') return part;
  const { data } = part.data;
  const bytes = typeof data === 'string' ? Math.floor((data.length * 3) / 4) : data.byteLength;
  if (bytes <= maxMediaBytes) return part;
  return {
    type: 'text',
    text: `[${part.mediaType} of ${bytes} bytes omitted: the limit is ${maxMediaBytes} bytes]`,
  };
}

/** Truncates a text in the middle, with a mark that contains the number of omitted characters. @internal */
export function truncateText(text: string, { maxChars }: { maxChars: number }): string {
  if (text.length <= maxChars) return text;
  const room = Math.max(maxChars - toMark(text.length).length, 0);
  const headEnd = Math.ceil(room / 2);
  const tailStart = text.length - Math.floor(room / 2);
  // Servers reject half a surrogate pair with status 400.
  const head = text.slice(0, isInsidePair(text, headEnd) ? headEnd - 1 : headEnd);
  const tail = text.slice(isInsidePair(text, tailStart) ? tailStart + 1 : tailStart);
  return head + toMark(text.length - head.length - tail.length) + tail;
}

const toMark = (count: number): string => `\n[… ${count} characters omitted …]\n`;

const isInsidePair = (text: string, index: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(index - 1, 0), index + 1));
