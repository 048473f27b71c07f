import { useCallback, useReducer } from 'react';
import type { StoredMessage, TraceBatch } from '../../shared/playground-state.js';
import { addToTrace, emptyTrace, type Trace, toTrace } from '../../shared/trace.js';

/** A trace and the start of its turn on the clock of the page, to update the timeline between events. */
export interface LiveTrace {
  readonly trace: Trace;
  /** Time of `performance.now()`. */
  readonly beganAt: number;
}

export type Traces = Readonly<Record<string, LiveTrace>>;

export interface TracesHook {
  readonly traces: Traces;
  add(batch: TraceBatch): void;
  load(messages: readonly StoredMessage[]): void;
}

/** Traces by message id. */
export function useTraces(): TracesHook {
  const [traces, change] = useReducer(
    (known: Traces, update: (known: Traces) => Traces): Traces => update(known),
    {},
  );
  const add = useCallback(({ messageId, events }: TraceBatch): void => {
    const now = performance.now();
    change(known => {
      const { trace, beganAt } = known[messageId] ?? {
        trace: emptyTrace,
        beganAt: now - (events.at(-1)?.at ?? 0),
      };
      return { ...known, [messageId]: { trace: addToTrace(trace, events), beganAt } };
    });
  }, []);
  const load = useCallback((messages: readonly StoredMessage[]): void => {
    const loaded = messages
      .filter(({ trace }) => trace.length > 0)
      .map(({ message, trace }) => [message.id, { trace: toTrace(trace), beganAt: 0 }] as const);
    change(known => ({ ...known, ...Object.fromEntries(loaded) }));
  }, []);
  return { traces, add, load };
}
