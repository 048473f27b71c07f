import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/**
 * Runs a work in one process at a time. The others wait for it.
 *
 * @param lockFile Contains the id of the process that works. A lock whose process has ended does not count.
 */
export async function withLock(lockFile, work) {
  for (;;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (isLocked(lockFile)) await setTimeout(100);
      else rmSync(lockFile, { force: true });
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function isLocked(lockFile) {
  try {
    process.kill(Number(readFileSync(lockFile, 'utf8')) || process.pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}
