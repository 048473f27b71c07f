import type { EmulatorRequest } from 'kelivo-responses/testing';
import type { TraceRecorder } from './trace-recorder.js';

/** Milliseconds that connections get to be seen to close. */
const SETTLE_LIMIT = 1000;

/** Milliseconds between two looks. */
const INTERVAL = 20;

/**
 * Waits until each request has its end in the story, and tells where the endpoint saw the connection go.
 *
 * @param arrived What arrived of the turn, where that can be known.
 */
export async function settleTurn(
  { record, events }: TraceRecorder,
  { arrived }: { arrived: () => readonly EmulatorRequest[] },
): Promise<void> {
  const count = (type: 'request' | 'exchange-end'): number =>
    events.filter(event => event.type === type).length;
  const aborted = (): number[] =>
    events.flatMap(event => (event.type === 'exchange-end' && event.end === 'aborted' ? event.exchange : []));
  // Where nobody can tell, or nothing arrived, there is nothing to wait for.
  const isSeen = (exchange: number): boolean => arrived()[exchange - 1]?.aborted ?? true;
  const isSettled = (): boolean => count('request') === count('exchange-end') && aborted().every(isSeen);

  for (let waited = 0; !isSettled() && waited < SETTLE_LIMIT; waited += INTERVAL) {
    await new Promise(resolve => setTimeout(resolve, INTERVAL));
  }
  for (const exchange of aborted()) {
    if (arrived()[exchange - 1]?.aborted) record({ type: 'hung-up', exchange });
  }
}
