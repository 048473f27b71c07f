import type { ChildProcess } from 'node:child_process';

/** False on Windows, which has no process groups. Only the direct child is ended there. */
export const hasProcessGroups = process.platform !== 'win32';

/**
 * Time to wait after each step of ending a server, in milliseconds. A server that ends with its input exits within a
 * few of them. The other times are short, because in a container without an init process a killed process stays in
 * the group as a zombie, which appears to be alive.
 */
const waitTimes = { endOfInput: 500, terminate: 500, kill: 200 };

/**
 * Ends a child that leads its own process group, and all its descendants: launchers such as npx and uvx run the server
 * as a grandchild. Closes the input first, as MCP specifies, and then sends signals.
 */
export async function endProcessTree(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  child.stdin?.end();
  await becomesTrue(() => !isChildAlive(child), waitTimes.endOfInput);
  if (!isTreeAlive(child)) return;
  signalTree(child, 'SIGTERM');
  if (await becomesTrue(() => !isTreeAlive(child), waitTimes.terminate)) return;
  signalTree(child, 'SIGKILL');
  await becomesTrue(() => !isTreeAlive(child), waitTimes.kill);
}

function isTreeAlive(child: ChildProcess): boolean {
  return isChildAlive(child) || (hasProcessGroups && signalGroup(child, 0));
}

function isChildAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Sends a signal to the child and all its descendants. */
function signalTree(child: ChildProcess, signal: NodeJS.Signals): void {
  if (!hasProcessGroups || !signalGroup(child, signal)) child.kill(signal);
}

/** Sends a signal to the child's group. Returns false if the group is empty. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false; // ESRCH: the group is empty
  }
}

async function becomesTrue(condition: () => boolean, milliseconds: number): Promise<boolean> {
  const end = Date.now() + milliseconds;
  while (!condition()) {
    if (Date.now() >= end) return false;
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  return true;
}

/** Signals that end a process by default, without an `exit` event. */
const deadlySignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const runningChildren = new Set<ChildProcess>();

/**
 * Ends the child and all its descendants when this process exits or is ended by one of the usual signals. A child in
 * its own group does not receive the signals of a terminal and may ignore the end of its input. The child receives
 * `SIGTERM`; this process cannot wait for its exit. There is no protection against `SIGKILL`.
 *
 * If the host has its own listener for a signal, the listener decides what the signal means, and the child runs until
 * the host exits.
 */
export function endWithHost(child: ChildProcess): void {
  if (runningChildren.size === 0) startListening();
  runningChildren.add(child);
  child.once('exit', () => {
    runningChildren.delete(child);
    if (runningChildren.size === 0) stopListening();
  });
}

function startListening(): void {
  process.on('exit', terminateChildren);
  for (const signal of deadlySignals) process.prependListener(signal, onSignal);
}

function stopListening(): void {
  process.off('exit', terminateChildren);
  for (const signal of deadlySignals) process.off(signal, onSignal);
}

function terminateChildren(): void {
  for (const child of runningChildren) signalTree(child, 'SIGTERM');
}

/**
 * Removes itself before it counts the other listeners. Other code that ends the process only as the last listener
 * (the package `signal-exit`, or a second copy of this module) would otherwise wait for this listener, and vice versa.
 */
function onSignal(signal: NodeJS.Signals): void {
  process.off(signal, onSignal);
  if (process.listenerCount(signal) === 0) {
    terminateChildren();
    process.kill(process.pid, signal); // the default action, so that the exit status contains the signal
    return;
  }
  queueMicrotask(() => {
    if (runningChildren.size > 0 && !process.listeners(signal).includes(onSignal))
      process.prependListener(signal, onSignal);
  });
}
