import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { adaptModel } from '../../../src/adapters/index.js';
import { finish, scriptedModel, start, stream } from '../../tool-loop/_scripted-model.js';
import { isWhole as isEach } from '../../_products.js';
import { judge, mutate, type WrittenFormat, writtenFormats } from './_mutations.js';

/** `MUTATIONS=all` changes each letter of each tag, with all schemas and values, and reads all texts in three sizes of deltas. */
const isWhole = process.env.MUTATIONS === 'all';

/** The number of texts of which one is read. `npm run test:products` reads all. */
const STEP = isEach ? 1 : 11;

const text = { type: 'string' };
const schemas: readonly object[] = [
  { type: 'object', properties: { cmd: text, note: text }, required: ['cmd', 'note'] },
  { type: 'object', properties: { cmd: text, note: text, cwd: text }, required: ['cmd'] },
  { type: 'object', properties: { cmd: text, note: text } },
  { type: 'object' },
];
const values: readonly (readonly [cmd: string, note: string])[] = [
  ['ls -l', 'x'],
  ['ls -l\nrm x', 'a b'],
  // A call with as much text starts before it is complete.
  [`echo ${'a'.repeat(300)}`, 'x'],
];

type Writer = Pick<WrittenFormat, 'modelId' | 'toolPrompting'>;

async function read({ modelId, toolPrompting }: Writer, chunks: readonly string[], inputSchema: object) {
  const response: LanguageModelV2StreamPart[] = [
    start,
    { type: 'text-start', id: 't' },
    ...chunks.map(delta => ({ type: 'text-delta', id: 't', delta }) as const),
    { type: 'text-end', id: 't' },
    finish('stop'),
  ];
  const model = adaptModel(
    { ...scriptedModel(response), modelId },
    toolPrompting === undefined ? {} : { toolPrompting },
  );
  const parts = await stream(model, { tools: [{ type: 'function', name: 'exec', inputSchema }] });
  return {
    calls: parts.flatMap(part =>
      part.type === 'tool-call' ? [{ name: part.toolName, input: part.input }] : [],
    ),
    text: parts
      .flatMap(part => (part.type === 'text-delta' || part.type === 'reasoning-delta' ? [part.delta] : []))
      .join(''),
  };
}

/** A text is read, refused or shown. It never becomes another call, nothing, or two calls. */
const ALLOWED = new Set(['right', 'invalid', 'text']);

describe.each(writtenFormats)('a call of $name with one wrong tag', writer => {
  it('is the same call, an invalid one, or text, in any deltas', async () => {
    const faults: string[] = [];
    let count = 0;
    for (const [valueIndex, [cmd, note]] of values.entries()) {
      const whole = writer.write([
        ['cmd', cmd],
        ['note', note],
      ]);
      const texts = [{ title: 'none', text: whole }, ...mutate(whole, isWhole)];
      for (const [index, mutation] of texts.entries()) {
        // Each text is read with one of the values and schemas.
        if (!isWhole && index > 0 && index % (STEP * values.length) !== STEP * valueIndex) continue;
        const chosen = isWhole ? schemas : [schemas[count++ % schemas.length] ?? {}];
        for (const schema of chosen) {
          const found = await read(writer, [mutation.text], schema);
          const outcome = judge(found, { cmd, note });
          if (!ALLOWED.has(outcome) || (index === 0 && outcome !== 'right'))
            faults.push(`${outcome} ${mutation.title}: ${JSON.stringify(found)}`);
          if (!isWhole && count % 5 > 0) continue;
          for (const chunks of [mutation.text.split(''), mutation.text.match(/[^]{1,7}/g) ?? []])
            expect(await read(writer, chunks, schema)).toEqual(found);
        }
      }
    }
    expect(faults).toEqual([]);
  });
});

/** Tags of other formats. */
const FOREIGN = [
  '</invoke>',
  '</arg_value>',
  '<function=exec>',
  '</seed:tool_call>',
  '<|tool_arg:end|>',
  '[ARGS]',
];

describe.each(writtenFormats.filter(({ isPlain }) => isPlain))(
  'a call of $name with a tag too much',
  writer => {
    const expected = { cmd: 'ls -l', note: 'x' };
    const whole = writer.write(Object.entries(expected));
    const readAll = async (text: string) => {
      const outcomes: string[] = [];
      for (const schema of schemas)
        for (const chunks of [[text], text.split('')])
          outcomes.push(judge(await read(writer, chunks, schema), expected));
      return outcomes;
    };

    it.each(FOREIGN)('does not run with %s at the end of a value whose own end is missing', async tag => {
      const end = /(?<=ls -l\n?)<[^<>]+>/;
      expect(whole).toMatch(end);
      for (const outcome of await readAll(whole.replace(end, tag))) expect(ALLOWED).toContain(outcome);
    });

    it('does not run without the parameter after its end', async () => {
      const end = /^\s*<[^<>]+>\s*(<[^<>]+>)/.exec(whole.slice(whole.lastIndexOf('x') + 1))?.[1] ?? '';
      const second = whole.lastIndexOf('<', whole.indexOf('note'));
      for (const outcome of await readAll(`${whole.slice(0, second)}${end}\n${whole.slice(second)}`))
        expect(ALLOWED).toContain(outcome);
    });
  },
);
