import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import type { PartSink } from '../parts/part-stream.js';
import { type CallRunner, createCallRunner } from './call-runner.js';
import { executeCall } from './call-execution.js';
import { isErrorOutput } from './calls.js';
import { toResultValue } from '../tool-calls/mcp-output.js';
import type { Turn } from './turn.js';

export interface RoundCallsOptions {
  readonly round: number;
  /** What the model reads in this round. */
  readonly prompt: LanguageModelV2Prompt;
  /** Whether the model may call in this round. */
  readonly mayCall: boolean;
  readonly sink: PartSink;
  readonly onStart: () => void;
}

/** The runner of one round's calls, which shows their results and tells of them. */
export function createRoundCalls(
  turn: Turn,
  { round, prompt, mayCall, sink, onStart }: RoundCallsOptions,
): CallRunner {
  const messages = prompt.filter(({ role }) => role !== 'system');
  const results = turn.resultsOf(round);
  return createCallRunner({
    ...turn.scheduling,
    startEarly: turn.scheduling.startEarly && mayCall,
    admit: turn.limits.admitCall,

    execute(call, tool, options) {
      const { toolCallId, toolName, input } = call;
      return executeCall(call, tool, {
        ...turn.policy,
        messages,
        signal: options.signal,
        results,
        onStart() {
          options.onStart();
          onStart();
          turn.emit({ type: 'tool-start', round, toolCallId, toolName, input });
        },
        onProgress: progress =>
          turn.emit({ type: 'tool-progress', round, toolCallId, toolName, ...progress }),
      });
    },

    onOutcome(outcome) {
      const { call, output, duration } = outcome;
      const { toolCallId, toolName } = call;
      const isError = isErrorOutput(output);
      turn.memory.rememberInput(outcome);
      turn.surface
        .result({ toolCallId, toolName, result: toResultValue(output), isError })
        .forEach(sink.write);
      turn.emit({ type: 'tool-end', round, toolCallId, toolName, duration, isError });
    },
  });
}
