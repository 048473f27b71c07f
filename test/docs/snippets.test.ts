import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResponsesEmulator } from '../../src/testing/index.js';
import { startMultiApiEmulator } from '../_emulators/start-emulator.js';
import { toSse } from '../_sse.js';
import { root } from '../package/manifest.js';
import { functionCall, toStream } from '../responses/stream/_fixtures/wire-events.js';
import { type EverythingServer, startEverythingServer } from '../tools/mcp/_everything-server.js';
import { type WrittenSnippets, writeSnippets } from './_snippets.js';
import { runProgram } from './_snippets.js';
import { findFiles, findSnippets } from './_markdown.js';
import { PAGES } from './_markdown.js';

const pages = PAGES.map(file => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
const snippets = pages.flatMap(({ file, text }) =>
  findSnippets(text).map(snippet => ({ ...snippet, name: `${file}: ${snippet.name}` })),
);
const seconds = 1000;

let written: WrittenSnippets;
let emulator: ResponsesEmulator;
let mcpServer: EverythingServer;
/** Where the snippets run: with a file to find, and `npx` finds the MCP servers there. */
let home: string;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'readme-'));
  writeFileSync(path.join(home, 'package.json'), '{}');
  writeFileSync(path.join(home, 'notes.txt'), 'Water the plants.\n');
  writeFileSync(
    path.join(home, 'weather.sse'),
    toSse(toStream([functionCall('get_weather', '{"city":"Rome"}')])),
  );
  for (const { name, content } of pages.flatMap(({ text }) => findFiles(text)))
    writeFileSync(path.join(home, name), content);
  symlinkSync(path.join(root, 'node_modules'), path.join(home, 'node_modules'));
  [emulator, mcpServer] = await Promise.all([
    startMultiApiEmulator(),
    startEverythingServer('streamableHttp'),
  ]);
  written = writeSnippets(snippets);
}, 60 * seconds);

afterAll(async () => {
  await Promise.all([emulator.close(), mcpServer.close()]);
  rmSync(home, { recursive: true });
});

describe.concurrent.each(snippets)('$name', snippet => {
  it('compiles', () => {
    expect(written.faultsOf(snippet)).toEqual([]);
  });

  if (snippet.notRun !== undefined) {
    it.skip(`runs, where it can: ${snippet.notRun}`, () => {});
    return;
  }

  it('runs', { timeout: 60 * seconds }, async () => {
    const { exitCode, stdout, stderr } = await runProgram(written.programOf(snippet), {
      after: written.prelude,
      cwd: home,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: home,
        OPENAI_API_KEY: 'a key',
        OPENAI_BASE_URL: emulator.baseURL,
        README_MCP_URL: mcpServer.config.url,
      },
      timeout: 50 * seconds,
    });
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    // An object is printed on one line or several, as it fits.
    const printed = stdout.replace(/\s+/g, ' ');
    let from = 0;
    for (const text of snippet.prints) {
      const at = printed.indexOf(text, from);
      expect(at, `${JSON.stringify(text)} in ${JSON.stringify(printed)}`).toBeGreaterThanOrEqual(0);
      from = at + text.length;
    }
  });
});
