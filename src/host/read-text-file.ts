import { readFile } from 'node:fs/promises';

/** Reads a UTF-8 file. */
export const readTextFile = (file: string | URL): Promise<string> => readFile(file, 'utf8');
