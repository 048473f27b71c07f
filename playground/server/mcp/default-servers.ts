import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { McpServers } from 'kelivo-responses/mcp';
import { everythingServer } from '../../shared/demo-tools.js';

/** Returns the servers of the first start. Both are installed with the playground, so nothing is downloaded. */
export function defaultServers({ filesFolder }: { filesFolder: string }): McpServers {
  const manifest = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-filesystem/package.json',
  );
  const script = path.join(path.dirname(manifest), 'dist', 'index.js');
  return {
    ...everythingServer(),
    files: { command: process.execPath, args: [script, filesFolder], trustAnnotations: true },
  };
}

/** Creates the folder that the file server has access to, with sample files. */
export function makeFilesFolder(folder: string): void {
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(samples)) writeFileSync(path.join(folder, name), text);
}

const samples = {
  'notes.md': '# Notes\n\n- The loop runs tools inside the provider.\n- Every round is one request.\n',
  'shopping.txt': 'Milk\nBread\nCoffee\n',
};
