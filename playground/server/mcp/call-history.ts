import type { PastCall } from '../../shared/mcp-inspection.js';
import type { Redactor } from '../redaction/redactor.js';
import { redactForDisplay } from './traffic.js';

/** The latest calls that the user has made at one server. */
export interface CallHistory {
  /** Returns the number of a new call, from 1. */
  next(): number;
  /**
   * Adds a call that has ended. Returns it without secrets.
   *
   * @param options.original The result with its secrets, which the messages of a server lack.
   */
  add(
    call: Omit<PastCall, 'time' | 'redactedInput' | 'isRedacted'>,
    options: { readonly original: unknown },
  ): PastCall;
  /** The calls of a tool, the newest first. */
  list(toolName: string): readonly PastCall[];
  /** The result of a call with its secrets, which is in no list, log or export. Undefined if none were replaced. */
  secretResult(number: number): unknown;
}

const MAX_CALLS = 50;

export function createCallHistory(redactor: Redactor): CallHistory {
  const calls: PastCall[] = [];
  const secretResults = new Map<number, unknown>();
  let count = 0;
  return {
    next: () => ++count,
    add(call, { original }) {
      const result = redactForDisplay(call.result, redactor);
      const redactedInput = redactForDisplay(call.input, redactor);
      const isRedacted = JSON.stringify(redactForDisplay(original, redactor)) !== JSON.stringify(original);
      if (isRedacted) secretResults.set(call.number, original);
      const past: PastCall = { ...call, isRedacted, redactedInput, result, time: Date.now() };
      calls.unshift(past);
      for (const { number } of calls.splice(MAX_CALLS)) secretResults.delete(number);
      return past;
    },
    list: toolName => calls.filter(call => call.toolName === toolName),
    secretResult: number => secretResults.get(number),
  };
}
