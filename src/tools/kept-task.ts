import type { JSONObject, JSONValue } from '../core/shared/json.js';

/** Keeps the task of a call, so that another process waits for it instead of calling again. */
export interface KeptTask {
  /** The task that an earlier process has recorded. The source must wait for it, and must not call. */
  readonly known?: JSONValue | undefined;
  /** Records the task as soon as the server has created it. */
  record(task: JSONObject): Promise<void>;
  /** The source sets it to true if nobody can find out how the known task ends. */
  isLost: boolean;
}

/** Where a journal passes the task of a call to a tool that a host runs. */
export const KEPT_TASK = Symbol.for('kelivo-responses.kept-task');

/**
 * Where a tool that a host runs tells a journal why a call must not run. A call that waits for a decision has not started, so
 * that a journal asks before it records the start.
 */
export const FIND_REFUSAL = Symbol.for('kelivo-responses.find-refusal');

/**
 * Where a journal passes the approval that it has found. A tool of an application may hand its options on to another tool, or
 * call one with another input, so that the approval names both.
 */
export const APPROVED = Symbol.for('kelivo-responses.approved');

export interface Approved {
  /** The function of the tool that has found no reason against the call. */
  readonly by: unknown;
  readonly input: unknown;
}

/** Marks a tool that a host runs and that may run again if the outcome of a call is unknown. */
export const IS_REPEATABLE = Symbol.for('kelivo-responses.repeatable');
