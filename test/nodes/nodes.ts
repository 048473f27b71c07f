import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../_install-packages.js';

/** The versions of Node that the package supports and that its tests can install. */
export const NODES = ['20', '22', '24', '26'] as const;

export type NodeMajor = (typeof NODES)[number];

/** Returns a program of another Node, or the reason why there is none: `NODE_22`, or else an installed package. */
export async function findNode(
  major: NodeMajor,
): Promise<{ readonly program?: string; readonly missing?: string }> {
  const given = process.env[`NODE_${major}`];
  if (given !== undefined) return { program: given };
  const missing = await installPackages('test/nodes');
  if (missing !== undefined) return { missing };
  const program = fileURLToPath(new URL(`node_modules/node${major}/bin/node`, import.meta.url));
  return existsSync(program)
    ? { program }
    : { missing: `no package of Node ${major} for ${process.platform} ${process.arch}. Set NODE_${major}` };
}
