import type { ChildProcess } from 'node:child_process';
import { signalTree } from './process-tree.js';

/** Signals that end a process by default, and then without its `exit` event. */
const deadlySignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const living = new Set<ChildProcess>();

/**
 * Ends the child, with everything it started, when this process exits or one of the usual signals ends it: a child
 * in a group of its own does not get the signal of a terminal, and may not notice the end of its input. It gets a
 * `SIGTERM`; nobody is left to see whether it obeys. Nothing helps against `SIGKILL`.
 *
 * A host with a listener of its own for a signal decides for itself what the signal means; until it exits, the child
 * lives on.
 */
export function endWithHost(child: ChildProcess): void {
  if (living.size === 0) listen();
  living.add(child);
  child.once('exit', () => {
    living.delete(child);
    if (living.size === 0) stopListening();
  });
}

function listen(): void {
  process.on('exit', terminateLiving);
  for (const signal of deadlySignals) process.prependListener(signal, onSignal);
}

function stopListening(): void {
  process.off('exit', terminateLiving);
  for (const signal of deadlySignals) process.off(signal, onSignal);
}

function terminateLiving(): void {
  for (const child of living) signalTree(child, 'SIGTERM');
}

/**
 * Steps aside before it looks for others. Whoever else ends the process only as the last listener, such as the
 * package `signal-exit` or a second copy of this module, would otherwise wait for us as we for them.
 */
function onSignal(signal: NodeJS.Signals): void {
  process.off(signal, onSignal);
  if (process.listenerCount(signal) === 0) {
    terminateLiving();
    process.kill(process.pid, signal); // the default, so that the exit status tells the signal
    return;
  }
  queueMicrotask(() => {
    if (living.size > 0 && !process.listeners(signal).includes(onSignal))
      process.prependListener(signal, onSignal);
  });
}
