import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';

/*
 * Corrects the MCP SDK (2.4.0): `close()` ends only the direct child, and nothing when the host itself ends
 * (https://github.com/modelcontextprotocol/typescript-sdk/issues/2023). Launchers such as npx and uvx run the server as a
 * grandchild, which outlives both. Test of the bare SDK: "processes of the server outlive close()" in
 * test/tools/mcp/sdk-corrections.test.ts.
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
 * Time after its start in which a program that has sent no message is not ended by force, in milliseconds. `npx` and `uvx`
 * install packages in it, and leave damaged caches if they are killed.
 */
const installationTime = 300_000;

/**
 * Ends a child that leads its own process group, and all its descendants; on Linux also those in sessions of their own. A
 * process that left the tree before, because its parent has ended, is not found. Closes the input first, as MCP specifies, and
 * then sends signals. A child that has not been marked as ready may be installing a package: it is left alone to see the
 * end of its input, and ended when its time is over.
 */
export async function endProcessTree(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const state = children.get(child);
  const others = descendantsOf(pid);
  child.stdin?.end();
  await becomesTrue(() => !isChildAlive(child), waitTimes.endOfInput);
  const remaining = state?.isReady === false ? state.startedAt + installationTime - Date.now() : 0;
  if (!isChildAlive(child) || remaining <= 0) return killTree(child, others);
  const timer = setTimeout(() => void killTree(child, descendantsOf(pid)), remaining);
  timer.unref();
  child.once('exit', () => {
    clearTimeout(timer);
    void killTree(child, others);
  });
}

async function killTree(child: ChildProcess, others: readonly Descendant[]): Promise<void> {
  const isAlive = (): boolean => isTreeAlive(child) || others.some(isRunning);
  const signal = (name: NodeJS.Signals): void => {
    signalTree(child, name);
    for (const other of others) if (isRunning(other)) signalProcess(other.pid, name);
  };
  try {
    if (!isAlive()) return;
    signal('SIGTERM');
    if (await becomesTrue(() => !isAlive(), waitTimes.terminate)) return;
    signal('SIGKILL');
    await becomesTrue(() => !isAlive(), waitTimes.kill);
  } finally {
    forget(child);
  }
}

function isTreeAlive(child: ChildProcess): boolean {
  return isChildAlive(child) || (hasProcessGroups && signalGroup(child, 0));
}

/** A process outside of the group of the server, and its start, which shows that the id was not used again. */
interface Descendant {
  readonly pid: number;
  readonly startedAt: string;
}

/**
 * Returns the descendants of a process by their parents, on Linux. Those in a session of their own are not in the group. It must
 * be called while the process lives: orphans get another parent.
 */
function descendantsOf(root: number): Descendant[] {
  if (process.platform !== 'linux') return [];
  const children = new Map<number, Descendant[]>();
  for (const name of listProcesses()) {
    const found = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
    if (found === undefined || found.state === 'Z') continue;
    children.set(found.parent, [...(children.get(found.parent) ?? []), found]);
  }
  const remaining = [root];
  const found: Descendant[] = [];
  for (let pid = remaining.pop(); pid !== undefined; pid = remaining.pop()) {
    for (const child of children.get(pid) ?? []) {
      found.push(child);
      remaining.push(child.pid);
    }
  }
  return found;
}

function listProcesses(): string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return [];
  }
}

/** Reads `/proc/<pid>/stat`. The name of the program is in parentheses and may contain any character. */
function readProcess(pid: number): (Descendant & { parent: number; state: string }) | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent = ''] = fields;
    const { 19: startedAt = '' } = fields;
    return { pid, state, parent: Number(parent), startedAt };
  } catch {
    return undefined; // it has ended
  }
}

const isRunning = (descendant: Descendant): boolean => {
  const now = readProcess(descendant.pid);
  return now !== undefined && now.state !== 'Z' && now.startedAt === descendant.startedAt;
};

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: it has ended.
  }
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

/**
 * The children that are ended with this process. One is ready when its program has sent a message, so that it installs nothing
 * any more.
 */
const children = new Map<ChildProcess, { readonly startedAt: number; isReady: boolean }>();

/** Ends the children when this process has ended. */
let watchdog: ChildProcess | undefined;

/**
 * Remembers the process groups that it reads, one list per line: those that are ready, a semicolon, and the others. Its
 * input ends when this process has ended, even by `SIGKILL`. Then it ends the groups: a server may ignore the end of its
 * input and `SIGTERM`, and a process cannot wait while it exits. Groups that may be installing keep their time.
 */
const watchdogScript = `
trap '' HUP INT TERM
while read -r line; do groups=$line; done
ready=\${groups%%;*}
starting=\${groups#*;}
for group in $ready; do kill -TERM -"$group"; done
[ -z "$ready" ] || sleep 0.5
for group in $ready; do kill -KILL -"$group"; done
seconds=0
while [ -n "$starting" ] && [ $seconds -lt ${installationTime / 1000} ]; do
  sleep 1
  seconds=$((seconds + 1))
  alive=
  for group in $starting; do kill -0 -"$group" && alive="$alive $group"; done
  starting=$alive
done
for group in $starting; do kill -KILL -"$group"; done
`;

/**
 * Ends the child and all its descendants when this process ends. They receive `SIGTERM`, and `SIGKILL` half a second
 * later, from a small shell process that exists as long as there are children. It adds nothing to the time in which this
 * process exits, and leaves its signals to its own listeners. Where there is no shell, the descendants are killed when
 * this process exits or is ended by one of the usual signals. On Windows, only the direct child is ended. A child that is
 * not ready only sees the end of its input at first.
 *
 * The child must be ended with `endProcessTree`, also after it has exited.
 */
export function endWithHost(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (children.size === 0) startProtection();
  children.set(child, { startedAt: Date.now(), isReady: false });
  informWatchdog();
}

/** Marks a child that has sent a message: it is ended by force from now on. */
export function markReady(child: ChildProcess): void {
  const state = children.get(child);
  if (state === undefined || state.isReady) return;
  state.isReady = true;
  informWatchdog();
}

function forget(child: ChildProcess): void {
  if (!children.delete(child)) return;
  informWatchdog();
  if (children.size === 0) stopProtection();
}

function startProtection(): void {
  if (hasProcessGroups) watchdog = startWatchdog(startListening);
  else startListening();
}

function stopProtection(): void {
  watchdog?.stdin?.end();
  watchdog = undefined;
  stopListening();
}

function informWatchdog(): void {
  const pidsOf = (isReady: boolean): string =>
    [...children].flatMap(([{ pid }, state]) => (state.isReady === isReady ? [pid] : [])).join(' ');
  watchdog?.stdin?.write(`${pidsOf(true)};${pidsOf(false)}\n`);
}

/** Starts the watchdog. `onEnd` is called if it ends while it is needed, or cannot be started. */
function startWatchdog(onEnd: () => void): ChildProcess {
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
  for (const [child, { isReady }] of children) if (isReady) signalTree(child, 'SIGKILL');
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
    if (children.size > 0 && !process.listeners(signal).includes(onSignal))
      process.prependListener(signal, onSignal);
  });
}
