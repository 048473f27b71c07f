// Part of `npm run release:version`: writes the new version into the client info that MCP servers receive, and into the
// manifest of the playground.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { manifest, root } from './manifest.js';

const file = path.join(root, 'src/mcp/session/session.ts');
const source = readFileSync(file, 'utf8');
const written = source.replace(/(clientInfo = \{.*version: ')[^']*/, `$1${manifest.version}`);
if (!written.includes(`version: '${manifest.version}'`))
  throw new Error(`Expected \`clientInfo\` with a version in ${file}, got none.`);
writeFileSync(file, written);

const playground = path.join(root, 'playground/package.json');
const own = JSON.parse(readFileSync(playground, 'utf8'));
own.version = manifest.version;
own.dependencies[manifest.name] = `^${manifest.version}`;
writeFileSync(playground, `${JSON.stringify(own, null, 2)}\n`);
