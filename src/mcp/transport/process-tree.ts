import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

/*
 * Corrects the MCP SDK (2.4.0): `close()` ends only the direct child, and nothing when the host itself ends
 * (https://github.com/modelcontextprotocol/typescript-sdk/issues/2023). Launchers such as npx and uvx run the server as a
 * grandchild, which outlives both. Test of the bare SDK: "processes of the server outlive close()" in
 * test/mcp/sdk-corrections.test.ts.
 */

/** False on Windows, which has no process groups. Only the direct child is ended there. */
export const hasProcessGroups = process.platform !== 'win32';

/**
 * Time to wait after each step of ending a server, in milliseconds. A server that ends with its input exits within a
 * few of them. The other times are short, because in a container without an init process a killed process stays in
 * the group as a zombie, which appears to be alive.
 */
const waitTimes = { endOfInput: 500, terminate: 500, kill: 200 };

/**
 * Ends a child that leads its own process group, and all its descendants. Closes the input first, as MCP specifies, and
 * then sends signals.
 */
export async function endProcessTree(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  try {
    child.stdin?.end();
    await becomesTrue(() => !isChildAlive(child), waitTimes.endOfInput);
    if (!isTreeAlive(child)) return;
    signalTree(child, 'SIGTERM');
    if (await becomesTrue(() => !isTreeAlive(child), waitTimes.terminate)) return;
    signalTree(child, 'SIGKILL');
    await becomesTrue(() => !isTreeAlive(child), waitTimes.kill);
  } finally {
    forget(child);
  }
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

const runningChildren = new Set<ChildProcess>();

/** Ends the children when this process has ended. */
let watchdog: ChildProcess | undefined;

/**
 * Remembers the process groups that it reads, one list per line. Its input ends when this process has ended, even
 * by `SIGKILL`. Then it ends the groups: a server may ignore the end of its input and `SIGTERM`, and a
 * process cannot wait while it exits.
 */
const watchdogScript = `
trap '' HUP INT TERM
while read -r line; do groups=$line; done
for group in $groups; do kill -TERM -"$group"; done
[ -z "$groups" ] || sleep 0.5
for group in $groups; do kill -KILL -"$group"; done
`;

/**
 * Ends the child and all its descendants when this process ends. They receive `SIGTERM`, and `SIGKILL` half a second
 * later, from a small shell process that exists as long as there are children. It adds nothing to the time in which this
 * process exits, and leaves its signals to its own listeners. Where there is no shell, the descendants are killed when
 * this process exits or is ended by one of the usual signals. On Windows, only the direct child is ended.
 *
 * The child must be ended with `endProcessTree`, also after it has exited.
 */
export function endWithHost(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (runningChildren.size === 0) startProtection();
  runningChildren.add(child);
  informWatchdog();
}

function forget(child: ChildProcess): void {
  if (!runningChildren.delete(child)) return;
  informWatchdog();
  if (runningChildren.size === 0) stopProtection();
}

function startProtection(): void {
  if (hasProcessGroups) watchdog = startWatchdog({ onEnd: startListening });
  else startListening();
}

function stopProtection(): void {
  watchdog?.stdin?.end();
  watchdog = undefined;
  stopListening();
}

function informWatchdog(): void {
  watchdog?.stdin?.write(`${[...runningChildren].map(({ pid }) => pid).join(' ')}\n`);
}

/** Starts the watchdog. `onEnd` is called if it ends while it is needed, or cannot be started. */
function startWatchdog({ onEnd }: { onEnd: () => void }): ChildProcess {
  const started = spawn('/bin/sh', ['-c', watchdogScript], {
    cwd: '/',
    detached: true, // does not receive the signals of the terminal and of this process's group
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const end = (): void => {
    if (watchdog !== started) return;
    watchdog = undefined;
    onEnd();
  };
  started.once('error', end).once('exit', end);
  started.stdin.on('error', () => {});
  // Does not keep this process alive.
  started.unref();
  if (started.stdin instanceof Socket) started.stdin.unref();
  return started;
}

/** Signals that end a process by default, without an `exit` event. */
const deadlySignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Replaces the watchdog. If the host has its own listener for a signal, the listener decides what the signal means. */
function startListening(): void {
  process.on('exit', killChildren);
  for (const signal of deadlySignals) process.prependListener(signal, onSignal);
}

function stopListening(): void {
  process.off('exit', killChildren);
  for (const signal of deadlySignals) process.off(signal, onSignal);
}

function killChildren(): void {
  for (const child of runningChildren) signalTree(child, 'SIGKILL');
}

/**
 * Removes itself before it counts the other listeners. Other code that ends the process only as the last listener
 * (the package `signal-exit`, or a second copy of this module) would otherwise wait for this listener, and vice versa.
 */
function onSignal(signal: NodeJS.Signals): void {
  process.off(signal, onSignal);
  if (process.listenerCount(signal) === 0) {
    killChildren();
    process.kill(process.pid, signal); // the default action, so that the exit status contains the signal
    return;
  }
  queueMicrotask(() => {
    if (runningChildren.size > 0 && !process.listeners(signal).includes(onSignal))
      process.prependListener(signal, onSignal);
  });
}
