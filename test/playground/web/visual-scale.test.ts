import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../../playground/web/styles', import.meta.url));
const tokenFile = readFileSync(path.join(folder, 'tokens.css'), 'utf8');

const sizes = /^(12|13|14|15|18|22)px$/;
const spaces = /^-?(0|4px|8px|12px|16px|24px|32px)$/;

/** Variables that the library of the page gives to what it places. */
const ofLibrary = /^--(anchor|available)-(width|height)$/;

/** Allowed parts of the values of each property. Every length and number in a value is checked. */
const scale: readonly (readonly [property: RegExp, part: RegExp, allowed: RegExp])[] = [
  [/^font-size$/, /\S+/g, /^(12|13|14|15|18|22)px$|^inherit$/],
  [/^font$/, /-?[\d.]+px/g, sizes],
  [/^font$/, /(?<=\/)\S+/g, /^1\.(35|55)$/],
  [/^font$/, /^\S+ (?=\d)/g, /^600 $/],
  [/^font-weight$/, /\S+/g, /^(400|600)$/],
  [/^line-height$/, /\S+/g, /^1\.(35|55)$/],
  [/^letter-spacing$/, /\S+/g, /^$/],
  [/^(padding|margin|gap|row-gap|column-gap|scroll-(padding|margin))/, /-?[\d.]+[a-z%]*/g, spaces],
  [/radius$/, /-?[\d.]+[a-z%]*/g, /^(0|4px|8px|12px|50%)$/],
  // A skeleton is shown after 200 ms.
  [/^(transition|animation)/, /(?<=\s|^)[\d.]+m?s/g, /^(0s|120ms|180ms|200ms)$/],
  [/^(transition|animation)/, /\b(ease|ease-in|ease-in-out|linear|infinite)(?=\s|$)/g, /^$/],
  [/^box-shadow$/, /\S.*/g, /^var\(--shadow\)$/],
  [/./, /#[\da-f]{3,8}\b|\b(rgb|hsl|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)a?\(/gi, /^$/],
  [/colou?r|background|border|outline|fill|stroke/, /(?<!-)\b(white|black|gr[ae]y|red|green|blue)\b/g, /^$/],
];

function* readDeclarations() {
  for (const name of readdirSync(folder)) {
    if (name === 'tokens.css') continue;
    const css = readFileSync(path.join(folder, name), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
    for (const [, property = '', value = ''] of css.matchAll(/(?<=[{;]\s*)([\w-]+):\s*([^;{}]+);/g))
      yield { name, property, value: value.replaceAll(/\s+/g, ' ') };
  }
}

describe('the styles of the page', () => {
  it('use only the sizes, spaces, radii, durations and colours of the scale', () => {
    const found = [...readDeclarations()].flatMap(({ name, property, value }) =>
      scale.flatMap(([properties, part, allowed]) =>
        !properties.test(property)
          ? []
          : [...value.matchAll(part)]
              .filter(([text]) => !allowed.test(text))
              .map(([text]) => `${name}: ${property}: ${value} (${text})`),
      ),
    );
    expect(found).toEqual([]);
  });

  it('use each token, and only tokens that exist', () => {
    const web = path.join(folder, '..');
    const sources = readdirSync(web, { recursive: true, encoding: 'utf8' })
      .filter(name => /\.(css|tsx?)$/.test(name))
      .map(name => readFileSync(path.join(web, name), 'utf8'));
    const used = sources.flatMap(text => [...text.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name));
    const declared = [...tokenFile.matchAll(/^ {2}(--[\w-]+):/gm)].map(([, name]) => name);
    const own = sources.flatMap(text => [...text.matchAll(/(--[\w-]+)'?:/g)].map(([, name]) => name));
    expect(declared.filter(name => !used.includes(name))).toEqual([]);
    expect(used.filter(name => !own.includes(name) && !ofLibrary.test(name ?? ''))).toEqual([]);
  });

  const grounds = ['page', 'surface', 'sunken'];
  const texts = ['ink', 'quiet', 'accent', 'tool', 'good', 'warn', 'bad'];
  const tinted = ['accent', 'tool', 'good', 'warn', 'bad'];
  const pairs: readonly (readonly [color: string, ground: string, ratio: number])[] = [
    ...texts.flatMap(text => grounds.map(ground => [text, ground, 4.5] as const)),
    ...tinted.flatMap(role => [role, 'ink', 'quiet'].map(text => [text, `${role}-soft`, 4.5] as const)),
    ['on-accent', 'accent', 4.5],
    ['on-accent', 'bad', 4.5],
    ...['control', 'model', 'wait'].flatMap(mark => grounds.map(ground => [mark, ground, 3] as const)),
  ];

  it.each(['light', 'dark'] as const)('have enough contrast in the %s theme', theme => {
    const low = pairs
      .map(([color, ground, ratio]) => ({ color, ground, ratio, is: contrast(read(color), read(ground)) }))
      .filter(({ is, ratio }) => is < ratio)
      .map(({ color, ground, ratio, is }) => `${color} on ${ground}: ${is.toFixed(2)} of ${ratio}`);
    expect(low).toEqual([]);

    function read(role: string): string {
      const value = new RegExp(`--${role}: (.*);`).exec(tokenFile)?.[1] ?? '';
      const colors = value.match(/#[\da-f]{6}/g) ?? [];
      const color = colors[theme === 'light' ? 0 : colors.length - 1];
      if (color === undefined) throw new Error(`Expected a colour for the role ${role}, got "${value}".`);
      return color;
    }
  });
});

/** The ratio that WCAG 2 defines. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
