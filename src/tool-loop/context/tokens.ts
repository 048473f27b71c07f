import { withoutData } from '../calls/outputs.js';

/** Estimates tokens, without the data of images and files. */
export function tokensOf(value: unknown): number {
  const text = JSON.stringify(value, withoutData);
  const others = text.replace(/[\0-\x7f]+/g, '').length;
  return Math.ceil((text.length - others) / 4) + others;
}
