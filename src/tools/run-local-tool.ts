import type { JSONValue } from '@ai-sdk/provider';
import { asSchema, executeTool, type ModelMessage, type Tool } from '@ai-sdk/provider-utils';
import { toV2Output } from '../parts/v2-output.js';
import type { ToolCallOptions, ToolInvocation, ToolOutput } from './tool-source.js';

/** What the tools of one source have in common. */
export interface LocalToolsOptions {
  /** Handed to each `execute`, as `experimental_context` (`ai` 5 and 6) and as `context` (7). @default none */
  readonly context?: unknown;
  /**
   * The major of `ai` that the tools were written for. From 6 on `toModelOutput` gets `{ toolCallId, input, output }`,
   * before that the output alone; nothing else depends on it.
   * @default 6 in calls through the provider of `kelivo-responses/v3`, else 5
   */
  readonly aiVersion?: 5 | 6 | 7;
}

/** A local tool in the terms of our own copy of the types; at run time all copies are alike but for `toModelOutput`. */
export type OwnTool = Pick<Tool<unknown, unknown>, 'inputSchema' | 'execute'> & {
  readonly toModelOutput?: (output: unknown) => unknown;
  readonly needsApproval?: boolean | ((input: unknown, options: object) => boolean | PromiseLike<boolean>);
};

type RunOptions = ToolCallOptions & LocalToolsOptions;

/** Runs a tool of this process. Whatever goes wrong is an output that the model can read; only an abort rejects. */
export async function runLocalTool(
  tool: OwnTool,
  call: ToolInvocation,
  options: RunOptions,
): Promise<ToolOutput> {
  try {
    const checked = await validate(tool, call);
    if (!checked.success) {
      return {
        type: 'error-text',
        value: `Invalid arguments for tool "${call.toolName}": ${checked.error.message}`,
      };
    }
    const output = await lastOutput(tool, { ...call, input: checked.value }, options);
    if (tool.toModelOutput === undefined) return toOutput(output);
    const { aiVersion = options.isV3Host ? 6 : 5 } = options;
    const { toolCallId } = call;
    const told = await tool.toModelOutput(
      aiVersion < 6 ? output : { toolCallId, input: checked.value, output },
    );
    return told == null ? toOutput(output) : (toV2Output(told) as ToolOutput);
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    return { type: 'error-text', value: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether the tool wants a call approved before it runs. A call with wrong arguments does not run in any case. */
export async function needsApproval(
  tool: OwnTool,
  call: ToolInvocation,
  { messages = [], context }: Pick<RunOptions, 'messages' | 'context'>,
): Promise<boolean> {
  if (typeof tool.needsApproval !== 'function') return tool.needsApproval === true;
  const checked = await validate(tool, call);
  if (!checked.success) return false;
  return tool.needsApproval(checked.value, {
    toolCallId: call.toolCallId,
    messages,
    ...toContext(context),
  });
}

const validate = async ({ inputSchema }: OwnTool, { input }: ToolInvocation) =>
  (await asSchema(inputSchema).validate?.(input)) ?? { success: true as const, value: input };

const toContext = (context: unknown) =>
  context === undefined ? {} : { experimental_context: context, context };

/** A tool may stream preliminary outputs; the model gets the final one. */
async function lastOutput(
  tool: OwnTool,
  { toolCallId, input }: { toolCallId: string; input: unknown },
  { signal, messages = [], context }: RunOptions,
): Promise<unknown> {
  const execute = tool.execute;
  if (execute === undefined) throw new Error('The tool has no `execute` function.');
  let last: unknown;
  const options = {
    toolCallId,
    messages: messages as ModelMessage[],
    abortSignal: signal,
    ...toContext(context),
  };
  for await (const { output } of executeTool({ execute: execute.bind(tool), input, options })) {
    // Leaving the loop ends a generator that does not heed its signal.
    if (signal.aborted) throw signal.reason;
    last = output;
  }
  return last;
}

function toOutput(value: unknown): ToolOutput {
  if (typeof value === 'string') return { type: 'text', value };
  // What JSON cannot hold (functions, cycles) must not reach a host that clones its messages.
  const json: unknown = value === undefined ? null : JSON.parse(JSON.stringify(value) ?? 'null');
  return { type: 'json', value: json as JSONValue };
}
