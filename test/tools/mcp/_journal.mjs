import { appendFileSync } from 'node:fs';

/** Adds an entry to the journal of a server, if it has one. A server may end after its test has removed the folder. */
export function record(journal, entry) {
  if (!journal) return;
  try {
    appendFileSync(journal, `${entry}\n`);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
