import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import type { PartSink } from '../parts/part-stream.js';
import { toResultValue } from '../tool-calls/mcp-output.js';
import { executeCall } from './call-execution.js';
import { type CallRunner, createCallRunner } from './call-runner.js';
import { isErrorOutput } from './calls.js';
import type { ToolDefinition } from '../tools/tool-source.js';
import type { Turn } from './turn.js';

export interface RoundCallsOptions {
  readonly round: number;
  /** Call options that the model received in this round. */
  readonly options: LanguageModelV2CallOptions;
  readonly sink: PartSink;
}

/** Creates the runner of one round's calls. It writes their results to the sink and reports them as events. */
export function createRoundCalls(turn: Turn, { round, options, sink }: RoundCallsOptions): CallRunner {
  const { calls, limits, record, toolParts, emit, warn, identity } = turn;
  const { signal } = turn.lifetime;
  const mayCall = options.toolChoice?.type !== 'none';
  const messages = options.prompt.filter(({ role }) => role !== 'system');
  const results = calls.storedResultsOf(round, signal);
  return createCallRunner({
    ...calls.scheduling,
    signal,
    startEarly: calls.scheduling.startEarly && mayCall,
    admit: (call, tool) => limits.admitCall(call, { tool, warn: message => warn(round, message) }),

    execute(call, tool, { signal: callSignal, onStart }) {
      const { toolCallId, toolName, input } = call;
      const facts = { round, toolCallId, toolName, ...sourceOf(tool) };
      const server = tool.server;
      return executeCall(call, tool, {
        ...calls.execution,
        callContext: { ...identity, round, toolCallId, ...(server !== undefined && { server }) },
        messages,
        signal: callSignal,
        results,
        onStart() {
          onStart();
          record.markToolRun();
          emit({ type: 'tool-start', ...facts, input });
        },
        onProgress: progress => emit({ type: 'tool-progress', ...facts, ...progress }),
      });
    },

    onOutcome(outcome) {
      const { call, output, duration } = outcome;
      const { toolCallId, toolName } = call;
      const isError = isErrorOutput(output);
      limits.recordOutcome(outcome);
      toolParts.result({ toolCallId, toolName, result: toResultValue(output), isError }).forEach(sink.write);
      emit({ type: 'tool-end', round, toolCallId, toolName, ...sourceOf(outcome.tool), duration, isError });
    },
  });
}

/** Returns the server and the original name of a tool, for events and callbacks. */
const sourceOf = ({ server, originalName }: Partial<ToolDefinition> = {}): Pick<
  ToolDefinition,
  'server' | 'originalName'
> => ({
  ...(server !== undefined && { server }),
  ...(originalName !== undefined && { originalName }),
});
