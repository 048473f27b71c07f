import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { isLaterHost } from '../parts/call-marks.js';
import type { ToolDefinition, ToolSource } from '../tools/tool-source.js';
import { type DeclaredStub, readToolStub, stubIdentityOf } from '../tools/tool-stubs.js';
import { type Approvals, toolApprovalOf } from './approvals.js';
import type { ExecuteCallOptions } from './call-execution.js';
import type { Scheduling } from './call-runner.js';
import type { ToolLoopOptions } from './options.js';

/** Execution settings for the calls of a turn. */
export interface CallSettings {
  readonly scheduling: Pick<Scheduling, 'execution' | 'maxParallel' | 'startEarly'>;
  readonly execution: Pick<
    ExecuteCallOptions,
    | 'source'
    | 'timeout'
    | 'outputLimits'
    | 'onUnknownOutcome'
    | 'approve'
    | 'approvals'
    | 'toolApproval'
    | 'stubs'
    | 'isLaterHost'
  >;
  /** Returns true if calls of a tool need no approval, whatever their arguments are. */
  isFreeOfApproval(tool: ToolDefinition): boolean;
}

export function createCallSettings(
  callOptions: LanguageModelV2CallOptions,
  { source, settings }: { source: ToolSource; settings: Omit<ToolLoopOptions, 'tools'> },
): CallSettings {
  const { execution = 'auto', maxParallel = 8, startEarly = true, approve, approvals } = settings;
  const { maxToolOutputChars = 100_000, maxToolMediaBytes = 20_000_000, timeouts } = settings;
  const { onUnknownOutcome = 'refuse' } = settings;
  const toolApproval = toolApprovalOf(callOptions.providerOptions);
  const stubs = stubsOf(callOptions);
  return {
    scheduling: { execution, maxParallel, startEarly },
    execution: {
      source,
      timeout: timeouts?.tool,
      outputLimits: { maxChars: maxToolOutputChars, maxMediaBytes: maxToolMediaBytes },
      approve,
      approvals,
      onUnknownOutcome,
      toolApproval,
      stubs,
      isLaterHost: isLaterHost(callOptions),
    },
    isFreeOfApproval(tool) {
      const { isCopy = false, needsApproval } = stubs.get(stubIdentityOf(tool)) ?? {};
      if (isCopy || needsApproval || tool.needsApproval !== undefined || toolApproval !== undefined)
        return false;
      return isFreeByPolicy(approvals ?? (approve === undefined ? 'never' : 'unless-read-only'));
    },
  };
}

/** Returns true for policies that let all read-only tools run. */
const isFreeByPolicy = (policy: Approvals): boolean => typeof policy !== 'function' && policy !== 'always';

/** Returns the host's declarations of tools that the provider runs, by identity. */
function stubsOf({ tools = [] }: LanguageModelV2CallOptions): ReadonlyMap<string, DeclaredStub> {
  const stubs = new Map<string, DeclaredStub>();
  for (const tool of tools) {
    const stub = tool.type === 'function' ? readToolStub(tool) : undefined;
    if (stub !== undefined) stubs.set(stub.identity, stub);
  }
  return stubs;
}
