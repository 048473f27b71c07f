import { describe, expect, it } from 'vitest';
import { families } from '../../../src/adapters/index.js';
import { type ReadPart, readText, streamChunks } from './_read-text.js';

const tools = { look: { place: { type: 'string' } }, ping: {} };

const read = async (text: string, options = { tools }): Promise<ReadPart[]> =>
  (await readText(text, { middleware: families.gptOss.middleware, ...options })).content;

const look: ReadPart = { call: 'look', input: { place: 'Oslo' } };
const ping: ReadPart = { call: 'ping', input: {} };
const json = '{"place": "Oslo"}';

describe('messages with special tokens', () => {
  it.each<[string, ...ReadPart[]]>([
    ['<|channel|>final<|message|>Hi.<|return|>', { text: 'Hi.' }],
    [
      '<|channel|>analysis<|message|>Well.<|end|><|start|>assistant<|channel|>final<|message|>Hi.',
      { reasoning: 'Well.' },
      { text: 'Hi.' },
    ],
    [`<|channel|>commentary to=functions.look <|constrain|>json<|message|>${json}<|call|>`, look],
    [`<|channel|>commentary to=functions.look json<|message|>${json}`, look],
    [`<|channel|>commentary to=functions.look<|message|>${json}`, look],
    [`<|channel|>commentary to=look <|constrain|>json${json}`, look],
    [`<|start|>assistant to=functions.look<|channel|>commentary<|message|>${json}<|call|>`, look],
    [` to=functions.look<|channel|>analysis <|constrain|>json<|message|>${json}`, look],
    ['<|channel|>commentary to=functions.ping <|constrain|>json<|message|><|call|>', ping],
    [
      `<|channel|>commentary<|message|>I will look.<|end|><|start|>assistant<|channel|>commentary to=functions.look<|message|>${json}<|call|><|start|>assistant<|channel|>commentary to=functions.ping<|message|>{}<|call|>`,
      { text: 'I will look.' },
      look,
      ping,
    ],
    ['<|channel|>commentary to=assistant<|channel|>final<|message|>Hi.', { text: 'Hi.' }],
    ['<|channel|>commentary<|channel|>analysis<|message|>A', { reasoning: 'A' }],
    ['<|channel|>commentary to=python<|message|>print(1)<|call|>', { text: 'print(1)' }],
    [
      `<|channel|>analysis<|message|>A <|channel|>commentary to=functions.look<|message|>${json}`,
      { reasoning: 'A' },
      look,
    ],
  ])('%s', async (text, ...content) => {
    expect(await read(text)).toEqual(content);
  });

  it.each([
    'The token <|channel|> names a channel.',
    'Use `<|channel|>final<|message|>` here.',
    '```\n<|channel|>final<|message|>\n```',
    '<|start|>user<|message|>Hi.',
    '<|channel|>commentary to=functions.look<|message|>{"place": "Os',
    '<|channel|>commentary to=functions.look<|message|>Oslo',
  ])('%j stays text', async text => {
    expect(await read(text)).toEqual([{ text }]);
  });

  it('reads messages in a request without tools', async () => {
    const text = '<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>final<|message|>Hi.';
    expect(await readText(text, { middleware: families.gptOss.middleware })).toEqual({
      content: [{ reasoning: 'A' }, { text: 'Hi.' }],
      finishReason: 'stop',
    });
  });

  it('streams reasoning, text and arguments as they arrive', async () => {
    const long = 'Oslo'.repeat(70);
    const chunks = [
      '<|channel|>analysis<|message|>',
      'One',
      ' two',
      '<|end|><|start|>assistant<|channel|>final<|message|>',
      'Hi',
      ' you',
      `<|end|><|start|>assistant<|channel|>commentary to=functions.look<|message|>{"place": "${long}`,
      'Os',
      'lo"}',
    ];
    const parts = await streamChunks(chunks, { middleware: families.gptOss.middleware, tools });
    const deltas = parts.flatMap(part => ('delta' in part ? [part.delta] : []));
    expect(deltas).toEqual(['One', ' two', 'Hi', ' you', `{"place": "${long}`, 'Os', 'lo"}']);
  });
});

describe('messages without special tokens', () => {
  it.each<[string, ...ReadPart[]]>([
    ['analysisThe user greets.assistantfinalHi.', { reasoning: 'The user greets.' }, { text: 'Hi.' }],
    [`analysisWell.assistantcommentary to=functions.look json${json}`, { reasoning: 'Well.' }, look],
    [
      `analysisA.assistantcommentary to=functions.look json${json}assistantcommentary to=functions.ping json{}`,
      { reasoning: 'A.' },
      look,
      ping,
    ],
    [`commentary to=functions.look json${json}`, look],
    [`to=functions.ping json{}`, ping],
    ['analysisA.assistantanalysisB.assistantfinalHi.', { reasoning: 'A.B.' }, { text: 'Hi.' }],
    [
      `analysisA.assistantcommentaryI look.assistantcommentary to=functions.look json${json}`,
      { reasoning: 'A.' },
      { text: 'I look.' },
      look,
    ],
  ])('%s', async (text, ...content) => {
    expect(await read(text)).toEqual(content);
  });

  it.each([
    'analysis of the data',
    'analysis',
    'commentary to=functions.nothing json{}',
    'commentary to the game',
    'to=functions',
    'An analysisWell.assistantfinalHi.',
  ])('%j stays text', async text => {
    expect(await read(text)).toEqual([{ text }]);
  });
});
