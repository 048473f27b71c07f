import { describe, expect, it } from 'vitest';
import { WRITTEN_CALLS } from '../bench/_written-calls.js';
import type { ReadPart } from './text-tools/_read-text.js';
import { readAs } from './_read-as.js';

const CONTENT = 'a note';
const tools = { save: { content: { type: 'string' } } };
const found = { call: 'save', input: { content: CONTENT } };

/** Small changes of a call, as models and servers make them. */
const changes: readonly (readonly [name: string, change: (call: string) => string])[] = [
  ['no line breaks', call => call.replace(/\n/g, '')],
  ['Windows line breaks', call => call.replace(/\n/g, '\r\n')],
  ['line breaks around JSON', call => call.replace(/(\{"(?:.*\})\}?)/s, '\n$1\n')],
  ['compact JSON', call => call.replace(/": /g, '":')],
  ['pretty JSON', call => call.replace(/(?<=[{,]) ?(?=")/g, '\n  ')],
  ['a trailing comma', call => call.replace(/"a note"\}/, '"a note",}')],
  ['single quotes', call => (call.includes('{"') ? call.replaceAll('"', "'") : call)],
  ['a semicolon', call => call.replace(/\}(?=[^}]*$)/, '};')],
  ['an extra brace', call => call.replace(/\}(?=<)/, '}}')],
  ['a line break between tags', call => call.replace(/><(?=[/|｜])/g, '>\n<')],
  ['no end of the list', call => call.replace(/<[^<]*>\s*$/, '')],
  ['a truncated end', call => call.replace(/>\s*$/, '')],
  ['a qualified name', call => call.replace(/\bsave\b/, 'functions.save')],
  ['an upper-case name', call => call.replace(/\bsave\b/, 'Save')],
  ['white space before', call => `\n\n${call}`],
  ['white space after', call => `${call}\n\n`],
  ['prose before', call => `I save it.\n${call}`],
  ['prose after', call => `${call}\nDone.`],
  ['two calls', call => call + call],
  ['two calls on lines', call => `${call}\n${call}`],
  ['fenced code before', call => `\`\`\`\nx\n\`\`\`\n${call}`],
];

/** Native calls, which have no markup. */
const isNative = (name: string) => name === 'gemini';
/** The prompt of Kimi K3 opens the reasoning, so that a response starts with its end. */
const startOf = (format: string) => (format === 'kimi-k3' ? '<|close|>think<|sep|>' : '');

const textOf = (content: readonly ReadPart[]) =>
  content.map(part => ('text' in part ? part.text : '')).join('');
/** The prose of the changes. */
const PROSE = /I save it\.|Done\.|```\nx\n```/g;

describe.each(Object.entries(WRITTEN_CALLS).filter(([name]) => !isNative(name)))('%s', (format, row) => {
  const written = row.call('save', CONTENT);
  const read = async (text: string) =>
    (await readAs(row.modelId, tools, { chunkings: 'few' })(startOf(format) + text)).filter(
      part => !('reasoning' in part),
    );

  it.each(changes)('with %s is the same call, or stays unchanged', async (name, change) => {
    const text = change(written);
    const content = await read(text);
    const calls = content.filter(part => 'call' in part);
    if (calls.length === 0) {
      expect(textOf(content)).toBe(text);
      return;
    }
    expect(calls).toEqual(calls.map(() => found));
    expect(calls.length).toBeLessThanOrEqual(text.split(CONTENT).length - 1);
    const left = textOf(content).replace(PROSE, '');
    // The bare JSON of Llama is separated by semicolons.
    const rest = format === 'llama bare' ? left.replaceAll(';', '') : left;
    // Half a marker may be text.
    if (name !== 'a truncated end') expect(rest.trim()).toBe('');
  });

  it('is text in fenced code, and where its content is truncated', async () => {
    const fenced = `\`\`\`\n${written}\n\`\`\``;
    expect(textOf(await read(fenced))).toBe(fenced);
    const truncated = written.slice(0, written.indexOf(CONTENT) + 3);
    expect(textOf(await read(truncated))).toBe(truncated);
  });
});
