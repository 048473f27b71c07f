import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FixtureServer } from './_fixture-server.js';
import { fixtureServer, temporaryFolder } from './_fixture-server.js';

/** Wraps the fixture server, so that it ignores `server/discover`, or ends when it receives it. */
export async function discoverlessServer(reaction: 'ignores' | 'exits'): Promise<FixtureServer> {
  const { config, journal } = await fixtureServer();
  const script = path.join(await temporaryFolder(), 'wrapper.mjs');
  const react = reaction === 'exits' ? 'process.exit(3)' : 'undefined';
  await writeFile(
    script,
    `import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
const child = spawn(process.execPath, ${JSON.stringify(config.args)}, { stdio: ['pipe', 'inherit', 'inherit'] });
createInterface({ input: process.stdin })
  .on('line', line => (line.includes('server/discover') ? ${react} : child.stdin.write(line + '\\n')))
  .on('close', () => child.stdin.end());
`,
  );
  return { config: { ...config, args: [script] }, journal };
}
