import type { ValueWriter } from './value-writer.js';

/** Decodes the entities of XML in what is written to `value`. What may be the first half of one waits. */
export function createEntityDecoder(value: ValueWriter): ValueWriter {
  let half = '';
  return {
    push(text) {
      const whole = half + text;
      half = /&[#\w]{0,8}$/.exec(whole)?.[0] ?? '';
      value.push(decode(whole.slice(0, whole.length - half.length)));
    },
    end() {
      value.push(half);
      value.end();
    },
  };
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const decode = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos));/gi, (written, decimal, hex, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? written;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point > 0x10ffff ? written : String.fromCodePoint(point);
  });
