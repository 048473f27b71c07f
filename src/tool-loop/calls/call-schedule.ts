import type { ToolDefinition, ToolOutput } from '../../tools/tool-source.js';
import type { CallOutcome, LoopCall, ToolRun } from './calls.js';

/*
 * What connects the schedule of a round's calls with those who run and watch them.
 */

/** When the calls of a turn start. */
export interface Scheduling {
  readonly execution: 'auto' | 'parallel' | 'sequential';
  /** The calls that may start before their response ends. */
  readonly startEarly: 'read-only' | boolean;
}

/** Returns `run`, `wait` while it depends on running calls, or the output of a call that must not run. */
export type Admission = () => Verdict | 'wait';

export type Verdict = 'run' | ToolOutput;

/** Connects a call with the schedule of its round. */
export interface CallSlot {
  /** Position of the call in its round, from 1. */
  readonly index: number;
  readonly signal: AbortSignal;
  /** The call was started early, and this is its result. */
  readonly early: Promise<ToolRun> | undefined;
  /** Called when the tool starts. */
  readonly onStart: () => void;
  /** Called when the step of the call has been issued, so that the next one may be. */
  readonly onIssued: () => void;
  /** Waits inside of the step until the tool may run. Returns the output of a call that must not run. */
  readonly enter: () => Promise<Verdict>;
}

/** The output of a call, and how it was found. */
export interface CallResult {
  readonly output: ToolOutput;
  /** Milliseconds that the tool ran in the attempt that ran it. @default measured */
  readonly duration?: number;
  /** True if the output was read from a record. @default false */
  readonly isReplayed?: boolean;
  /** True if the tool was stopped, so that its effect is unknown. @default false */
  readonly isInterrupted?: boolean;
}

export interface CallRunnerOptions extends Scheduling {
  readonly signal: AbortSignal;
  /** True if no call may start before its round is recorded, except calls that `prefetch` accepts. */
  readonly isDurable: boolean;
  /** True if calls have to start in the same order in every attempt, whenever the calls before them end. */
  readonly isOrdered: boolean;
  /** Runs a call to its end. Rejects only on abort. */
  readonly execute: (call: LoopCall, tool: ToolDefinition, slot: CallSlot) => Promise<CallResult>;
  /**
   * Starts a call that has no effects before its round is recorded. Called in durable turns only.
   *
   * @returns undefined for a call that has to wait.
   */
  readonly prefetch: (
    call: LoopCall,
    tool: ToolDefinition,
    options: Pick<CallSlot, 'index' | 'signal'>,
  ) => Promise<ToolRun> | undefined;
  /** Returns true for a tool whose calls may need further steps after the first. */
  readonly mayContinue: (tool: ToolDefinition) => boolean;
  /** Called for each call as it arrives. The result is called until it decides on the call. */
  readonly admit: (call: LoopCall, tool: ToolDefinition | undefined) => Admission;
  /** Number of calls of the round in attempts before, so that each position is used once. @default 0 */
  readonly callsBefore?: number;
  /** Called for each outcome as it arrives, in any order. */
  readonly onOutcome: (outcome: CallOutcome) => void;
}

/** Runs the calls of one round. */
export interface CallRunner {
  readonly size: number;
  /** Adds a call. One that is complete may run before the response ends. */
  add(call: LoopCall, tool: ToolDefinition, options: { readonly isComplete: boolean }): void;
  /** Adds a call that no tool can run. The model receives the reason. */
  refuse(call: LoopCall, reason: string): void;
  /** Fails the calls whose arguments need repair, with this error text. */
  refuseRepairs(text: string): void;
  /** Starts the waiting calls and returns all outcomes, in the order of the calls. Rejects on abort. */
  waitForAll(): Promise<CallOutcome[]>;
  /** True if a call has started. Its tool may have had its effect. */
  readonly hasStarted: boolean;
  /**
   * Ends the calls of a response that is repeated: those that have not started fail with this error text. Returns the
   * outcomes of the others when they have ended, and the calls that never run. Rejects on abort.
   */
  keepStarted(text: string): Promise<{ readonly outcomes: CallOutcome[]; readonly dropped: LoopCall[] }>;
  /** Aborts running calls and starts no others. Calls without an outcome fail with this error text. */
  abandon(text: string): void;
  /** Returns the outcomes of the calls whose tools have run. One that still runs was interrupted. */
  ran(): CallOutcome[];
}
