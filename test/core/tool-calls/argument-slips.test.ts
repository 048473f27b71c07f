import { parse as parseRelaxed } from '@ai-sdk-tool/parser/rjson';
import { Ajv } from 'ajv';
import { parse as parseBestEffort } from 'best-effort-json-parser';
import { jsonrepair } from 'jsonrepair';
import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { parse as parsePartial } from 'partial-json';
import { expect, it } from 'vitest';
import { parseToolArguments } from '../../../src/core/tool-calls/tool-arguments.js';
import { SCHEMA, SLIPS } from './_argument-slips.js';

/* Slips of models in arguments: what this package and other parsers make of them, and the table in the guide. */

const guide = new URL('../../../src/core/tool-calls/README.md', import.meta.url);
const START = '<!-- slips: written by test/core/tool-calls/argument-slips.test.ts with UPDATE_TABLE=1 -->';
const END = '<!-- end of slips -->';

/** Each returns the arguments, or throws. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'kelivo-responses': text => {
    const parsed = parseToolArguments(text, { schema: SCHEMA });
    if (!parsed.success) throw new Error(parsed.reason);
    return parsed.input;
  },
  jsonrepair: text => JSON.parse(jsonrepair(text)),
  'partial-json': text => parsePartial(text),
  'best-effort-json-parser': text => parseBestEffort(text),
  '@ai-sdk-tool/parser': text => parseRelaxed(text),
};

const isValid = new Ajv({ strict: false }).compile(SCHEMA);

type Outcome = 'right' | 'wrong' | 'refused';

/** `wrong`: a call runs that must not run, or runs with other arguments. Arguments that the schema rejects do not run. */
function judge(parse: (text: string) => unknown, text: string, meaning: object | undefined): Outcome {
  let input: unknown;
  try {
    // Prototypes do not count, `__proto__` as an own key does.
    input = JSON.parse(JSON.stringify(parse(text)));
  } catch {
    input = undefined;
  }
  if (!isValid(input)) return meaning === undefined ? 'right' : 'refused';
  return isDeepStrictEqual(input, meaning) ? 'right' : 'wrong';
}

const slips = Object.entries(SLIPS).flatMap(([kind, list]) => list.map(slip => ({ kind, slip })));

function count(parse: (text: string) => unknown, kind?: string): Record<Outcome, number> {
  const counts = { right: 0, wrong: 0, refused: 0 };
  for (const { kind: own, slip } of slips)
    if (kind === undefined || own === kind) counts[judge(parse, ...slip)]++;
  return counts;
}

it('are at least 150, and no two are equal', () => {
  const texts = new Set(slips.map(({ slip: [text] }) => text));
  expect(texts.size).toBe(slips.length);
  expect(slips.length).toBeGreaterThanOrEqual(150);
});

it('are read better than by other parsers, and at most 4 are read wrongly', () => {
  const [ours, ...others] = Object.values(parsers).map(parse => count(parse));
  expect(ours?.wrong).toBeLessThanOrEqual(4);
  for (const { right } of others) expect(ours?.right).toBeGreaterThan(right);
});

it.each(SLIPS.cut ?? [])('a cut call does not run: %s', text => {
  expect(parseToolArguments(text, { schema: SCHEMA }).success).toBe(false);
  expect(parseToolArguments(text).success).toBe(false);
});

it('are counted in the guide', () => {
  const names = Object.keys(parsers);
  const rows = Object.keys(SLIPS).map(kind => {
    const cells = Object.values(parsers).map(parse => {
      const { right, wrong } = count(parse, kind);
      return `${right}, ${wrong}`;
    });
    return `| ${[kind, SLIPS[kind]?.length, ...cells].join(' | ')} |`;
  });
  const sums = Object.values(parsers).map(parse => {
    const { right, wrong } = count(parse);
    return `${right}, ${wrong}`;
  });
  const table = [
    `| slips | number | ${names.map(name => `\`${name}\``).join(' | ')} |`,
    `| ${Array.from({ length: names.length + 2 }, () => '---').join(' | ')} |`,
    ...rows,
    `| ${['all', slips.length, ...sums].join(' | ')} |`,
  ].join('\n');
  const text = readFileSync(guide, 'utf8');
  const [before, rest = ''] = text.split(START);
  const [written, after] = rest.split(END);
  if (process.env.UPDATE_TABLE === '1')
    writeFileSync(guide, `${before}${START}\n\n${table}\n\n${END}${after}`);
  else expect(written?.trim()).toBe(table);
});
