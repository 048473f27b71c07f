import { expect, it } from 'vitest';
import { adaptModel } from '../../../src/adapters/adapt-model.js';
import { WRITTEN_CALLS } from '../../bench/_written-calls.js';
import { generate, scriptedModel, start, finish } from '../../tool-loop/_scripted-model.js';

/** Texts about a call, which must stay text. A call is trimmed, and on one line where the text is a line. */
const SURROUNDINGS: Readonly<Record<string, (call: string, line: string) => string>> = {
  'a fence': call => `You write:\n\n\`\`\`\n${call}\n\`\`\`\nThat is all.`,
  'a fence of tildes': call => `~~~xml\n${call}\n~~~\n`,
  'a long fence with a short one': call => `\`\`\`\`\n\`\`\`\n${call}\n\`\`\`\n\`\`\`\`\n`,
  'a fence in a list': call => `1. \`\`\`\n${call}\n   \`\`\`\n`,
  'a fence that is not closed': call => `Such as\n\`\`\`\n${call}`,
  'inline code': (_, line) => `Write \`${line}\` for that.`,
  'inline code of two backticks': (_, line) => `Write \`\` ${line} \`\` for that.`,
  'inline code after other code': (_, line) => `Use \`x\` and \`${line}\` for that.`,
  'a quotation': (_, line) => `> ${line}\n\nYou sent this.`,
  'a quotation in a quotation': (_, line) => `> > ${line}\n`,
  'a quotation of several lines': call => `They wrote:\n> ${call.split('\n').join('\n> ')}\n\nDone.`,
  'a quotation in a list': (_, line) => `- > ${line}\n`,
  'a fence in a quotation': call => `> \`\`\`\n> ${call.split('\n').join('\n> ')}\n> \`\`\`\n`,
};

/** The share of such texts that the parsers of vLLM turn into calls, as measured for 18 families. */
const SHARE_OF_VLLM = 0.395;

const toPercent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const tools = [
  {
    type: 'function' as const,
    name: 'write_file',
    inputSchema: { type: 'object' as const, properties: { content: { type: 'string' as const } } },
  },
];

it('keeps texts about calls of all families as they are', async () => {
  let texts = 0;
  const calls: string[] = [];
  const damaged: string[] = [];
  for (const [family, { modelId, call, think }] of Object.entries(WRITTEN_CALLS)) {
    for (const [surrounding, write] of Object.entries(SURROUNDINGS)) {
      const written = call('write_file', 'x').trim();
      // The response of a model whose prompt opens the reasoning starts after it.
      const prefix = family === 'kimi-k3' ? '<|close|>think<|sep|>' : think === '' ? '</think>' : '';
      const text = write(written, written.replace(/\s*\n\s*/g, ''));
      const model = {
        ...scriptedModel([
          start,
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: prefix + text },
          { type: 'text-end', id: 't' },
          finish(),
        ]),
        modelId,
      };
      const { content } = await generate(adaptModel(model), { tools });
      texts++;
      const read = content.map(part => (part.type === 'text' ? part.text : '')).join('');
      if (content.some(({ type }) => type === 'tool-call')) calls.push(`${family}, ${surrounding}`);
      else if (read.trim() !== text.trim())
        damaged.push(`${family}, ${surrounding}: ${JSON.stringify(read)}`);
    }
  }
  console.log(
    `${texts} texts about calls: ${calls.length} calls (${toPercent(calls.length / texts)}; the parsers of vLLM: ${toPercent(SHARE_OF_VLLM)}), ${damaged.length} damaged`,
  );
  expect(texts).toBeGreaterThanOrEqual(500);
  expect(calls).toEqual([]);
  expect(damaged).toEqual([]);
});
