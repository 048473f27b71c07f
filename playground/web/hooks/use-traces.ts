import { useCallback, useReducer } from 'react';
import type { StoredMessage, TraceBatch } from '../../shared/playground-state.js';
import { addToTrace, emptyTrace, type Trace, toTrace } from '../../shared/trace.js';

/** A trace, and where the page's clock stood when its turn began: to go on where events leave off. */
export interface LiveTrace {
  readonly trace: Trace;
  /** On the clock of `performance.now()`. */
  readonly beganAt: number;
}

export type Traces = Readonly<Record<string, LiveTrace>>;

export interface TracesHook {
  readonly traces: Traces;
  add(batch: TraceBatch): void;
  load(messages: readonly StoredMessage[]): void;
}

/** What is known of each answer, by the id of its message. */
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
