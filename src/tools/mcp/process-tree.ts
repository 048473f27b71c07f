import type { ChildProcess } from 'node:child_process';

// Windows has no process groups: there the direct child alone is ended.
export const hasProcessGroups = process.platform !== 'win32';

/**
 * How long to wait after each step, in milliseconds. A server that ends with its input is gone within a few
 * of them. The others are kept short because in a container without an init process what was killed stays in
 * the group as a zombie, which looks alive.
 */
const patience = { endOfInput: 500, terminate: 500, kill: 200 };

/**
 * Ends a child that leads its own process group, with everything it started: launchers such as npx and uvx
 * run the server as a grandchild. First its input ends, which is how MCP says good-bye, then come signals.
 */
export async function endProcessTree(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  child.stdin?.end();
  await becomesTrue(() => !isChildAlive(child), patience.endOfInput);
  if (!isTreeAlive(child)) return;
  signalTree(child, 'SIGTERM');
  if (await becomesTrue(() => !isTreeAlive(child), patience.terminate)) return;
  signalTree(child, 'SIGKILL');
  await becomesTrue(() => !isTreeAlive(child), patience.kill);
}

function isTreeAlive(child: ChildProcess): boolean {
  return isChildAlive(child) || (hasProcessGroups && signalGroup(child, 0));
}

function isChildAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Signals the child and everything it started. */
export function signalTree(child: ChildProcess, signal: NodeJS.Signals): void {
  if (!hasProcessGroups || !signalGroup(child, signal)) child.kill(signal);
}

/** Whether there was a process in the child's group to signal. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false; // ESRCH: the group is empty.
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
