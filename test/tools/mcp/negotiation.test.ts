import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { dualServer } from './_dual-server.js';
import { call, namesOf, openTools, temporaryFolder } from './_fixture-server.js';
import { discoverlessServer } from './_silent-script.js';

it.each(['ignores', 'exits'] as const)('a server that %s at `server/discover` is used', async reaction => {
  const { config } = await discoverlessServer(reaction);
  const tools = openTools({ old: config }, { startupTimeout: 120_000 });
  expect(await call(tools, 'echo', { text: 'a' })).toEqual({ type: 'text', value: 'echo a' });
});

it('a server that starts after the time for the question, and speaks no older revision, is used', async () => {
  const gate = path.join(await temporaryFolder(), 'gate');
  const { config } = await dualServer({ env: { DUAL_GATE: gate } });
  const tools = openTools({ slow: config }, { startupTimeout: 120_000 });
  const listing = namesOf(tools);
  await new Promise(resolve => setTimeout(resolve, 4000));
  await writeFile(gate, '');
  expect(await listing).toContain('echo');
});
