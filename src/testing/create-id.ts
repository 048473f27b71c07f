import { randomBytes } from 'node:crypto';

/** A fresh id as the API makes them: a prefix that tells the kind, then hexadecimal digits. */
export function createId(prefix: 'resp' | 'msg' | 'rs' | 'fc' | 'call'): string {
  return `${prefix}_${randomBytes(prefix === 'call' ? 12 : 24).toString('hex')}`;
}

/** A fresh call id as Mistral's models make them. */
export const createMistralCallId = (): string =>
  Array.from(randomBytes(9), byte => alphanumerics[byte % alphanumerics.length]).join('');

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
