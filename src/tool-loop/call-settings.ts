import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { isV3Host } from '../parts/call-marks.js';
import type { ToolSource } from '../tools/tool-source.js';
import { toolApprovalOf } from './approvals.js';
import type { ExecuteCallOptions } from './call-execution.js';
import type { Scheduling } from './call-runner.js';
import type { Warn } from './events.js';
import type { ToolLoopOptions } from './options.js';
import {
  createStoredResults,
  type StoredResults,
  type StoredResultsOptions,
  turnIdOf,
} from './result-store.js';

/** Execution settings for the calls of a turn. */
export interface CallSettings {
  readonly scheduling: Omit<Scheduling, 'signal'>;
  readonly execution: Pick<
    ExecuteCallOptions,
    'source' | 'timeout' | 'outputLimits' | 'approve' | 'approvals' | 'toolApproval' | 'isV3Host'
  >;
  /** Returns the results that earlier attempts at this turn stored for a round; undefined without a store. */
  storedResultsOf(round: number, signal: AbortSignal): StoredResults | undefined;
  /** Returns the stored result of a call that was approved in an earlier turn; undefined without a store. */
  storedResultsOfApproval(nonce: string, signal: AbortSignal): StoredResults | undefined;
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
      toolApproval: toolApprovalOf(callOptions.providerOptions),
      isV3Host: isV3Host(callOptions),
    },
    storedResultsOf: (round, signal) =>
      turnId === undefined ? undefined : openResults({ turnId, position, round, signal }),
    storedResultsOfApproval: (nonce, signal) =>
      openResults({ turnId: `approval ${nonce}`, position: 0, round: 0, signal }),
  };

  function openResults(
    key: Pick<StoredResultsOptions, 'turnId' | 'position' | 'round' | 'signal'>,
  ): StoredResults | undefined {
    if (resultStore === undefined) return undefined;
    return createStoredResults({
      ...{ store: resultStore, ...key },
      warn: message => warn(key.round, message),
    });
  }
}
