import { readFileSync, writeFileSync } from 'node:fs';

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

/**
 * Puts a table into a file, in place of what is between its markers.
 *
 * @throws Error for a file without them.
 */
export function writeTable(file: string, table: string): void {
  writeFileSync(file, withTable(readFileSync(file, 'utf8'), table));
}

export function withTable(text: string, table: string): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error(`Expected "${BEGIN}" and then "${END}" in the file, got none.`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}`;
}
