// Prints the size of each entry. Exits with 1 if one exceeds its limit, `bundleLimits` in package.json.
import { entries, manifest } from './manifest.js';
import { measureEntry } from './measure-entry.js';

const toKilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

const rows = [];
for (const { path, file } of entries) {
  const limit = manifest.bundleLimits[path];
  if (limit === undefined)
    throw new Error(`Expected a limit for "${path}" in bundleLimits of package.json, got none. Add it.`);
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
    `Expected the entry "${path}" to have at most ${limit} bytes, got ${initial}. Import rarely used code dynamically, or raise the limit.`,
  );
  process.exitCode = 1;
}
