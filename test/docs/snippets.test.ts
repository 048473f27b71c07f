import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResponsesEmulator } from '../../src/testing/index.js';
import { startMultiApiEmulator } from '../_emulators/start-emulator.js';
import { toSse } from '../_sse.js';
import { root } from '../package/manifest.js';
import { functionCall, toStream } from '../responses/stream/_fixtures/wire-events.js';
import { type EverythingServer, startEverythingServer } from '../tools/mcp/_everything-server.js';
import { findFiles, findSnippets, PAGES } from './_markdown.js';
import { type ProcessRun, runInOneProcess, type WrittenSnippets, writeSnippets } from './_snippets.js';

const pages = PAGES.map(file => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
const snippets = pages.flatMap(({ file, text }) =>
  findSnippets(text).map(snippet => ({ ...snippet, name: `${file}: ${snippet.name}` })),
);
const seconds = 1000;

/** Snippets that run one after another in the same process. There is one process per group. */
const GROUPS = 3;
const groups = Array.from({ length: GROUPS }, (_, group) =>
  snippets.filter(({ notRun }) => notRun === undefined).filter((_, index) => index % GROUPS === group),
);

let written: WrittenSnippets;
let emulator: ResponsesEmulator;
let mcpServer: EverythingServer;
let processes: Promise<ProcessRun>[];
/** The working directory of the snippets, with the files that they read and the MCP servers. */
let home: string;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'snippets-'));
  writeFileSync(path.join(home, 'package.json'), '{}');
  writeFileSync(path.join(home, 'notes.txt'), 'Water the plants.\n');
  writeFileSync(
    path.join(home, 'weather.sse'),
    toSse(toStream([functionCall('get_weather', '{"city":"Rome"}')])),
  );
  for (const { name, content } of pages.flatMap(({ text }) => findFiles(text)))
    writeFileSync(path.join(home, name), content);
  symlinkSync(path.join(root, 'node_modules'), path.join(home, 'node_modules'));
  // Starts an MCP server of `node_modules`. The program of npm takes seconds to find it.
  mkdirSync(path.join(home, 'bin'));
  const npx = '#!/bin/sh\nserver="$2"; shift 2; exec node "node_modules/$server/dist/index.js" "$@"\n';
  writeFileSync(path.join(home, 'bin/npx'), npx, { mode: 0o755 });
  [emulator, mcpServer] = await Promise.all([
    startMultiApiEmulator(),
    startEverythingServer('streamableHttp'),
  ]);
  written = writeSnippets(snippets);
  // A snippet may import one of another group.
  const programs = new Map(snippets.map(snippet => [snippet, written.programOf(snippet)]));
  processes = groups.map(group =>
    runInOneProcess(
      group.map(snippet => programs.get(snippet) ?? ''),
      {
        prelude: written.prelude,
        cwd: home,
        env: {
          PATH: [path.join(home, 'bin'), process.env.PATH ?? ''].join(path.delimiter),
          HOME: home,
          OPENAI_API_KEY: 'a key',
          OPENAI_BASE_URL: emulator.baseURL,
          SNIPPETS_MCP_URL: mcpServer.config.url,
        },
        timeout: 540 * seconds,
      },
    ),
  );
});

afterAll(async () => {
  await Promise.all(processes);
  await Promise.all([emulator.close(), mcpServer.close()]);
  rmSync(home, { recursive: true });
});

describe.each(snippets)('$name', snippet => {
  it('compiles', () => {
    expect(written.errorsOf(snippet)).toEqual([]);
  });

  if (snippet.notRun !== undefined) {
    it.skip(`runs (skipped: ${snippet.notRun})`, () => {});
    return;
  }

  it('runs', async () => {
    const group = groups.findIndex(members => members.includes(snippet));
    const { runs } = (await processes[group]) ?? { runs: [] };
    const { stdout, stderr } = runs[groups[group]?.indexOf(snippet) ?? -1] ?? {
      stdout: '',
      stderr: 'The snippet did not run.',
    };
    expect(stderr).toBe('');
    // Node prints an object on one or several lines, depending on its length.
    const printed = stdout.replace(/\s+/g, ' ');
    let from = 0;
    for (const text of snippet.prints) {
      const at = printed.indexOf(text, from);
      expect(at, `${JSON.stringify(text)} in ${JSON.stringify(printed)}`).toBeGreaterThanOrEqual(0);
      from = at + text.length;
    }
  });
});

it.each(groups.map((_, group) => group))('the process of group %i exits by itself', async group => {
  expect((await processes[group])?.exitCode).toBe(0);
});
