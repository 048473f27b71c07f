import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { isLaterHost } from '../parts/call-marks.js';
import type { ToolSource } from '../tools/tool-source.js';
import { type DeclaredStub, readToolStub } from '../tools/tool-stubs.js';
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
    'source' | 'timeout' | 'outputLimits' | 'approve' | 'approvals' | 'toolApproval' | 'stubs' | 'isLaterHost'
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
      stubs: stubsOf(callOptions),
      isLaterHost: isLaterHost(callOptions),
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

/** Returns the host's declarations of tools that the provider runs, by identity. */
function stubsOf({ tools = [] }: LanguageModelV2CallOptions): ReadonlyMap<string, DeclaredStub> {
  const stubs = new Map<string, DeclaredStub>();
  for (const tool of tools) {
    const stub = tool.type === 'function' ? readToolStub(tool) : undefined;
    if (stub !== undefined) stubs.set(stub.identity, stub);
  }
  return stubs;
}
