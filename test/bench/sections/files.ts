import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { toSse } from '../../_sse.js';
import { root } from '../../package/manifest.js';
import { functionCall, message, toStream } from '../../responses/stream/_fixtures/wire-events.js';
import type { Figure } from '../figure.js';

const covered = fileURLToPath(new URL('../_covered-run.mjs', import.meta.url));

/**
 * Counts the files of `src` whose functions run for one call, from the engine's coverage. A reader who follows a call
 * opens these files. The environment variable `PACKAGE` selects another checkout, for example the one before a change.
 */
export async function measureFiles(): Promise<Figure[]> {
  const text = toSse(toStream([message(['Hello', ' there'])]));
  const call = toSse(toStream([functionCall('clock', '{}')]));
  return [
    toFigure('a streamed text response', await listFiles([text])),
    toFigure('a tool round', await listFiles([call, text])),
  ];
}

const toFigure = (name: string, files: readonly string[]): Figure => ({
  name: `source files that run for ${name}`,
  rival: 'none',
  value: files.length,
  unit: 'files',
  measured: toFolders(files),
});

/** Counts files per folder: `http 5, responses 12`. */
function toFolders(files: readonly string[]): string {
  const folders = files.map(file => file.split('/').slice(0, -1)[0] ?? 'src');
  return [...new Set(folders)]
    .map(folder => `${folder} ${folders.filter(other => other === folder).length}`)
    .join(', ');
}

async function listFiles(bodies: readonly string[]): Promise<string[]> {
  const { PACKAGE = root } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [covered, PACKAGE, ...bodies], {
    cwd: root,
  });
  return JSON.parse(stdout) as string[];
}
