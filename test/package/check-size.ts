// Prints the size of each entry and ends with 1 where one is over its limit, `bundleLimits` in package.json.
import { entries, manifest } from './manifest.js';
import { measureEntry } from './measure-entry.js';

const toKilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

const rows = [];
for (const { path, file } of entries) {
  const limit = manifest.bundleLimits[path];
  if (limit === undefined)
    throw new Error(`Expected a limit for "${path}" in bundleLimits, got none. Set it.`);
  rows.push({ path, limit, ...(await measureEntry(file)) });
}
console.table(
  Object.fromEntries(
    rows.map(({ path, initial, total, limit }) => [
      path,
      { 'min+gzip': toKilobytes(initial), limit: toKilobytes(limit), 'with lazy parts': toKilobytes(total) },
    ]),
  ),
);
for (const { path, initial, limit } of rows) {
  if (initial <= limit) continue;
  console.error(
    `Expected "${path}" to have at most ${limit} bytes, got ${initial}. Load what is rarely needed later.`,
  );
  process.exitCode = 1;
}
