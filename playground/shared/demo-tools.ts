import { tool } from 'ai';
import * as z from 'zod';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { McpServers } from 'kelivo-responses';

/** Local tools of the demo and the playground. */
export const localTools = {
  'word-count': {
    ...tool({
      description: 'Counts the words and the characters of a text',
      inputSchema: z.object({ text: z.string().describe('The text to count') }),
      execute: ({ text }) => ({ words: text.match(/\S+/g)?.length ?? 0, characters: [...text].length }),
    }),
    readOnly: true,
  },
};

/** Requires a tool of the built-in MCP server first, then a local tool. */
export const defaultQuestion =
  'First get the sum of 17 and 25, then count the words in "the loop runs the tools and streams every round".';

/** Returns the configuration of `server-everything`, which is installed with the playground and the demo, so that nothing is downloaded. */
export function everythingServer(): McpServers {
  const manifest = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/package.json',
  );
  const script = path.join(path.dirname(manifest), 'dist', 'index.js');
  return { everything: { command: process.execPath, args: [script, 'stdio'], trustAnnotations: true } };
}
