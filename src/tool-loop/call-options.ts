import type { JSONValue } from '@ai-sdk/provider';
import type { ToolApproval } from './approvals.js';
import type { ToolLoopStep } from './steps.js';

/** Options of the tool loop for one call, in `providerOptions.kelivo`. */
export interface ToolLoopCallOptions {
  /** Identifies the turn in the `journal` of the tool loop, so that another process can continue it. */
  turnId?: string;
  /** The step function of a workflow engine for this call, as the option `step` of the tool loop. Passed by reference. */
  step?: ToolLoopStep;
  /**
   * A value of the application, for example its user. `approve`, `onEvent`, `onElicitation`, `onSampling`, local tools and
   * the logger receive it by reference. It is never sent to a server.
   */
  context?: unknown;
  /**
   * The value of `toolApproval` of `ai` 7, which asks it only about tools that the host runs: a function, or statuses by
   * tool name. `denied` refuses a call, `user-approval` requests approval, `approved` runs it regardless of the policy, and
   * without a status the policy of the tool loop applies. Under the original name of a tool, `approved` does not count,
   * because the tool of another server may have the same name. It is passed by reference.
   */
  toolApproval?: ToolApproval;
}

/**
 * Returns options of one call with the type that hosts require: they accept only JSON as provider options, but pass
 * functions and other values by reference.
 *
 * @example
 * ```ts
 * providerOptions: { kelivo: { ...toolLoopCallOptions({ step }), reasoningEffort: 'low' } },
 * ```
 */
export const toolLoopCallOptions = (options: ToolLoopCallOptions): Record<string, JSONValue> =>
  ({ ...options }) as Record<string, JSONValue>;
