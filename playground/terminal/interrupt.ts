import type { Interface } from 'node:readline';

/** Clears a half-typed line, as a shell does. Closes the interface if the line is empty. */
export function clearOrClose(lines: Interface): void {
  if (lines.line === '') return lines.close();
  // Ctrl-E moves to the end of the line, and Ctrl-U deletes everything before.
  lines.write(null, { ctrl: true, name: 'e' });
  lines.write(null, { ctrl: true, name: 'u' });
}
