import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { isV3Host } from '../parts/call-marks.js';
import type { ToolSource } from '../tools/tool-source.js';
import type { ExecuteCallOptions } from './call-execution.js';
import type { Scheduling } from './call-runner.js';
import type { Warn } from './events.js';
import type { ToolLoopOptions } from './options.js';
import { createStoredResults, type StoredResults, turnIdOf } from './result-store.js';

/** Execution settings for the calls of a turn. */
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
  { source, settings, warn }: { source: ToolSource; settings: Omit<ToolLoopOptions, 'tools'>; warn: Warn },
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
      return createStoredResults({
        ...{ store: resultStore, turnId, position, round, signal },
        warn: message => warn(round, message),
      });
    },
  };
}
