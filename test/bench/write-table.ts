import { readFileSync, writeFileSync } from 'node:fs';

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

/**
 * Replaces the table between the markers of a file.
 *
 * @throws Error if the file has no markers.
 */
export function writeTable(file: string, table: string): void {
  writeFileSync(file, withTable(readFileSync(file, 'utf8'), table));
}

export function withTable(text: string, table: string): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error(`Expected "${BEGIN}" followed by "${END}" in the file, got no such markers. Add them.`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}`;
}
