import { readFile } from 'node:fs/promises';

/** The text of a file. */
export const readTextFile = (file: string | URL): Promise<string> => readFile(file, 'utf8');
