import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { ModelMessage } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundleScript } from '../_bundled-script.js';
import { hosts, modes } from '../host-matrix/_host.js';
import { hasRedis, startRedis } from '../tool-loop/durable/_redis-server.js';
import { question, record, script, shareRecordingServer, withAnswers } from './_approvals.js';

const startApprovals = shareRecordingServer();

/* Approvals by the host that arrive in other processes than the one that asked. */

const host = hosts.find(({ version }) => version === 'V3');
if (host === undefined) throw new Error('There is no host with version 3.');
const row = { host, mode: modes[0] };

if (!hasRedis) process.stderr.write('Skipping the claims in Redis: `redis-server` is not on the PATH.\n');

const secret = 'a-random-text-of-32-characters-or-more';

describe('an approval', () => {
  it.each([
    ['the secret', secret, ['a 1'], 'record a 1'],
    ['no secret', '', [], expect.stringContaining('set `toolLoop.hostApprovals`')],
  ])('that reaches another process with %s', async (_, childSecret, expectedEffects, output) => {
    const { turn, emulator, effects, effectsFile, outputs } = await startApprovals(row.host, row.mode, {
      toolLoop: { hostApprovals: { secret, claim: () => true } },
    });
    emulator.enqueue([record('a')], [{ text: 'Done.' }]);
    const asked = await turn([question]);
    const args = [emulator.baseURL, row.host.name, effectsFile, childSecret];
    expect(await runTurn(args, withAnswers(asked.history, true))).toBe('');
    expect(effects()).toEqual(expectedEffects);
    expect(outputs()).toEqual([output]);
  });

  it.each(['a folder', ...(hasRedis ? ['Redis'] : [])])(
    'that reaches four processes at once runs in one: claims in %s',
    async where => {
      const { turn, emulator, effects, effectsFile, outputs } = await startApprovals(row.host, row.mode, {
        toolLoop: { hostApprovals: { secret, claim: () => true } },
      });
      emulator.enqueue([record('a')], ...Array.from({ length: 4 }, () => [{ text: 'Done.' }]));
      const asked = await turn([question]);
      const { location, remove } = await openClaims(where);
      onTestFinished(remove);
      const args = [emulator.baseURL, row.host.name, effectsFile, secret, location];
      const messages = withAnswers(asked.history, true);
      expect(await Promise.all([1, 2, 3, 4].map(() => runTurn(args, messages)))).toEqual(['', '', '', '']);
      expect(effects()).toEqual(['a 1']);
      expect(emulator.requests).toHaveLength(5);
      expect(outputs()).toHaveLength(1);
    },
  );
});

/** Runs a turn in another process, and returns what that process writes to its error output. */
async function runTurn(args: readonly string[], messages: readonly ModelMessage[]): Promise<string> {
  const child = spawn(process.execPath, [await bundleScript(script), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end(JSON.stringify(messages));
  const [errors] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')]);
  return errors;
}

async function openClaims(where: string): Promise<{ location: string; remove: () => Promise<void> }> {
  if (where === 'Redis') {
    const redis = await startRedis();
    return { location: redis.url, remove: () => redis.stop() };
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'claims-'));
  return { location: folder, remove: async () => rmSync(folder, { recursive: true }) };
}
