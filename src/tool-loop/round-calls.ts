import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { isV3Host } from '../parts/call-marks.js';
import type { PartSink } from '../parts/part-stream.js';
import { toResultValue } from '../tool-calls/mcp-output.js';
import type { ToolSource } from '../tools/tool-source.js';
import { executeCall, type ExecuteCallOptions } from './call-execution.js';
import { type CallRunner, createCallRunner, type Scheduling } from './call-runner.js';
import { isErrorOutput } from './calls.js';
import type { EmitEvent } from './events.js';
import type { ToolLoopOptions } from './options.js';
import { createStoredResults, type StoredResults, turnIdOf } from './result-store.js';
import type { Turn } from './turn.js';

/** How the calls of a turn are run. */
export interface CallSettings {
  readonly scheduling: Omit<Scheduling, 'signal'>;
  readonly execution: Pick<
    ExecuteCallOptions,
    'source' | 'timeout' | 'outputLimits' | 'approve' | 'approvals' | 'isV3Host'
  >;
  /** Returns the results that earlier attempts at this turn stored for a round; undefined without a store. */
  storedResultsOf(round: number, signal: AbortSignal): StoredResults | undefined;
}

export function createCallSettings(
  callOptions: LanguageModelV2CallOptions,
  {
    source,
    settings,
    emit,
  }: { source: ToolSource; settings: Omit<ToolLoopOptions, 'tools'>; emit: EmitEvent },
): CallSettings {
  const { execution = 'auto', maxParallel = 8, startEarly = true, approve, approvals } = settings;
  const { maxToolOutputChars = 100_000, maxToolMediaBytes = 20_000_000, timeouts, resultStore } = settings;
  const turnId = turnIdOf(callOptions.providerOptions);
  const position = callOptions.prompt.length;
  return {
    scheduling: { execution, maxParallel, startEarly },
    execution: {
      source,
      timeout: timeouts?.tool,
      outputLimits: { maxChars: maxToolOutputChars, maxMediaBytes: maxToolMediaBytes },
      approve,
      approvals,
      isV3Host: isV3Host(callOptions),
    },
    storedResultsOf(round, signal) {
      if (resultStore === undefined || turnId === undefined) return undefined;
      const warn = (message: string): void => emit({ type: 'warning', round, message });
      return createStoredResults({ store: resultStore, turnId, position, round, signal, warn });
    },
  };
}

export interface RoundCallsOptions {
  readonly round: number;
  /** What the model was sent in this round. */
  readonly options: LanguageModelV2CallOptions;
  readonly sink: PartSink;
}

/** Creates the runner of one round's calls. It writes their results to the sink and reports them as events. */
export function createRoundCalls(turn: Turn, { round, options, sink }: RoundCallsOptions): CallRunner {
  const { calls, limits, record, memory, toolParts, emit } = turn;
  const { signal } = turn.lifetime;
  const mayCall = options.toolChoice?.type !== 'none';
  const messages = options.prompt.filter(({ role }) => role !== 'system');
  const results = calls.storedResultsOf(round, signal);
  return createCallRunner({
    ...calls.scheduling,
    signal,
    startEarly: calls.scheduling.startEarly && mayCall,
    admit: limits.admitCall,

    execute(call, tool, { signal: callSignal, onStart }) {
      const { toolCallId, toolName, input } = call;
      return executeCall(call, tool, {
        ...calls.execution,
        messages,
        signal: callSignal,
        results,
        onStart() {
          onStart();
          record.markToolRun();
          emit({ type: 'tool-start', round, toolCallId, toolName, input });
        },
        onProgress: progress => emit({ type: 'tool-progress', round, toolCallId, toolName, ...progress }),
      });
    },

    onOutcome(outcome) {
      const { call, output, duration } = outcome;
      const { toolCallId, toolName } = call;
      const isError = isErrorOutput(output);
      memory.rememberInput(outcome);
      toolParts.result({ toolCallId, toolName, result: toResultValue(output), isError }).forEach(sink.write);
      emit({ type: 'tool-end', round, toolCallId, toolName, duration, isError });
    },
  });
}
