import { describe, expect, it } from 'vitest';
import { isWhole } from '../../_products.js';
import type { AssistantMessage, Message, Prompt, UserPart } from '../../../src/core/prompt.js';
import {
  type ChangedTurnPolicy,
  createConversationReader,
  findConversation,
  toConversationStep,
} from '../../../src/tool-loop/durable/conversation.js';

const idOf = async (prompt: Prompt, ...options: Parameters<typeof createConversationReader>) =>
  (await createConversationReader(...options)(prompt)).id;

const system = (content: string, isVolatile = false): Message => ({
  role: 'system',
  content,
  ...(isVolatile && { providerOptions: { kelivo: { volatile: true } } }),
});
const user = (...content: (string | UserPart)[]): Message => ({
  role: 'user',
  content: content.map(part => (typeof part === 'string' ? { type: 'text', text: part } : part)),
});
const call = (toolCallId: string, input: object = {}): AssistantMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName: 'book', input }],
});
const result = (toolCallId: string, value: string): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'book', output: { type: 'text', value } }],
});

/** Two calls of one message, with their results in an order. */
const twoCalls = (...order: string[]): Prompt => [
  { ...call('a'), content: [...call('a').content, ...call('b').content] },
  {
    role: 'tool',
    content: order.map(toolCallId => ({
      type: 'tool-result',
      toolCallId,
      toolName: 'book',
      output: { type: 'text', value: `of ${toolCallId}` },
    })),
  },
];

describe('two conversations', () => {
  const file = (data: Extract<UserPart, { type: 'file' }>['data']): Message =>
    user({ type: 'file', mediaType: 'image/png', data });
  const bytes = new Uint8Array([0, 1, 2, 255]);
  const metadata = { openai: { itemId: 'msg_1' } };

  it.each<[string, Prompt, Prompt]>([
    [
      'metadata, facts, options and reasoning',
      [
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm.', providerOptions: metadata },
            { type: 'text', text: 'Yes.', providerOptions: metadata, own: { responseId: 'resp_1' } },
          ],
          providerOptions: metadata,
        },
      ],
      [{ role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] }],
    ],
    [
      'a message of nothing but reasoning',
      [user('A'), { role: 'assistant', content: [{ type: 'reasoning', text: '' }] }],
      [user('A')],
    ],
    ['the ids of calls', [call('a'), result('a', '1')], [call('b'), result('b', '1')]],
    ['the order of parallel results', twoCalls('a', 'b'), twoCalls('b', 'a')],
    ['the order of keys', [call('a', { x: 1, y: { z: 2, w: 3 } })], [call('a', { y: { w: 3, z: 2 }, x: 1 })]],
    ['fields without a value', [call('a', { x: 1, y: undefined })], [call('a', { x: 1 })]],
    [
      'bytes, base64 and a data URL',
      [file({ type: 'data', data: bytes })],
      [file({ type: 'data', data: 'AAEC/w==' })],
    ],
    [
      'base64 and a data URL',
      [file({ type: 'data', data: 'AAEC/w==' })],
      [file({ type: 'url', url: new URL('data:image/png;base64,AAEC/w==') })],
    ],
    ['a volatile message', [system('12:00', true), user('A')], [system('12:01', true), user('A')]],
    ['a missing volatile message', [system('12:00', true), user('A')], [user('A')]],
  ])('that differ in %s are equal', async (_, a, b) => {
    expect(await idOf(a)).toBe(await idOf(b));
  });

  it.each<[string, Prompt, Prompt]>([
    ['white space', [user('A B')], [user('A  B')]],
    ['a trailing line break', [user('A')], [user('A\n')]],
    ['the last message', [user('A'), user('B')], [user('A'), user('C')]],
    ['an earlier message', [user('A'), user('B')], [user('C'), user('B')]],
    ['a removed message', [user('A'), user('B')], [user('B')]],
    ['a system text', [system('A'), user('B')], [system('C'), user('B')]],
    ['an added system text', [user('B')], [system('A'), user('B')]],
    ['the role of a text', [user('A')], [{ role: 'assistant', content: [{ type: 'text', text: 'A' }] }]],
    ['the border of texts', [user('A', 'B')], [user('AB')]],
    ['the border of messages', [user('A'), user('B')], [user('A', 'B')]],
    ['the arguments of a call', [call('a', { n: 1 })], [call('a', { n: '1' })]],
    ['an output', [call('a'), result('a', '1')], [call('a'), result('a', '2')]],
    [
      'the call of an output',
      [{ ...call('a'), content: [...call('a').content, ...call('b').content] }, result('a', '1')],
      [{ ...call('a'), content: [...call('a').content, ...call('b').content] }, result('b', '1')],
    ],
    ['a file', [file({ type: 'data', data: bytes })], [file({ type: 'data', data: bytes.slice(1) })]],
    ['a text with the separator of another', [user('a","b')], [user('a', 'b')]],
  ])('that differ in %s are not equal', async (_, a, b) => {
    expect(await idOf(a)).not.toBe(await idOf(b));
  });

  it('do not count patterns in system texts and URLs of files, and count them in texts of users', async () => {
    const withTime = (time: string) => [
      system(`Be kind. Now: ${time}. It is ${time}.`),
      file({ type: 'url', url: new URL(`https://files.example/a.png?at=${time}`) }),
    ];
    const pattern = /\d\d:\d\d/;
    expect(await idOf(withTime('12:00'), pattern)).toBe(await idOf(withTime('12:01'), [pattern]));
    expect(await idOf(withTime('12:00'))).not.toBe(await idOf(withTime('12:01')));
    expect(await idOf([user('12:00')], pattern)).not.toBe(await idOf([user('12:01')], pattern));
    const cut = (text: string): string => text.replace(/ at .*/, '');
    expect(await idOf([system('Now at 1')], cut)).toBe(await idOf([system('Now at 2')], cut));
    expect(await idOf([system('Then at 1')], cut)).not.toBe(await idOf([system('Now at 1')], cut));
  });
});

/** A turn that keeps the conversations that it is opened with. */
function createTurn(onChangedTurn: ChangedTurnPolicy = 'refuse') {
  const records = new Map<string, unknown>();
  const warnings: string[] = [];
  let first: unknown;
  const reads: string[] = [];
  return {
    warnings,
    reads,
    async open(prompt: Prompt): Promise<number> {
      const conversation = await createConversationReader()(prompt);
      if (first === undefined) {
        first = conversation.digests;
        return 0;
      }
      const { number, added } = await findConversation(conversation, {
        ...{ turnId: 'turn-1', scope: '', first, onChangedTurn },
        warn: message => void warnings.push(message),
        async read(step) {
          reads.push(step);
          return records.has(step) ? { value: records.get(step) } : undefined;
        },
      });
      if (added !== undefined) records.set(toConversationStep(number), added);
      return number;
    },
    /** Records the calls with which a model call ended. */
    end: (number: number, ...calls: string[]) => void records.set(`end ${number}`, calls),
  };
}

describe('a conversation of a recorded turn', () => {
  const steps: Prompt[] = [
    [system('S'), user('A')],
    [system('S'), user('A'), call('a'), result('a', '1')],
    [system('S'), user('A'), call('a'), result('a', '1'), call('b'), result('b', '2')],
  ];

  it('is found again in every step of the host', async () => {
    const turn = createTurn();
    for (const [number, step] of steps.entries()) expect(await turn.open(step)).toBe(number);
    for (const [number, step] of steps.entries()) expect(await turn.open(step)).toBe(number);
  });

  it('goes on if it is the beginning of the newest one', async () => {
    const turn = createTurn();
    await turn.open(steps[2] ?? []);
    expect(await turn.open(steps[1] ?? [])).toBe(1);
    expect(await turn.open(steps[1] ?? [])).toBe(1);
  });

  it('goes on after the host has compacted it or changed the system text of a step', async () => {
    const turn = createTurn();
    await turn.open(steps[0] ?? []);
    turn.end(0, 'a');
    expect(await turn.open([system('T'), user('A'), call('a'), result('a', '1')])).toBe(1);
    turn.end(1, 'b');
    expect(await turn.open([user('A summary'), call('b'), result('b', '2')])).toBe(2);
  });

  it.each<[string, Prompt, number, string]>([
    ['a changed output', [system('S'), user('A'), call('a'), result('a', '9')], 3, 'tool'],
    ['a changed message before the calls', [system('S'), user('B'), call('a'), result('a', '1')], 1, 'user'],
    ['another system text', [system('T'), user('A'), call('a'), result('a', '1')], 0, 'system'],
    ['a new beginning', [user('A')], 0, 'user'],
  ])('is refused after %s', async (_, prompt, position, role) => {
    const turn = createTurn();
    await turn.open(steps[0] ?? []);
    turn.end(0, 'a');
    await turn.open(steps[1] ?? []);
    await expect(turn.open(prompt)).rejects.toMatchObject({
      code: 'turn-changed',
      isRetryable: false,
      message: expect.stringContaining(`at message ${position} (${role})`),
    });
  });

  it('is refused with the position in the prompt, which counts volatile messages', async () => {
    const turn = createTurn();
    await turn.open([system('12:00', true), user('A'), user('SECRET')]);
    const changed = turn.open([system('12:01', true), user('A'), user('SECRET 2')]);
    await expect(changed).rejects.toThrow('at message 2 (user)');
    await expect(changed).rejects.not.toThrow('SECRET');
  });

  it('restarts once: the new conversation and the old one are both repetitions afterwards', async () => {
    const turn = createTurn('restart');
    expect(await turn.open([user('A')])).toBe(0);
    expect(await turn.open([user('B')])).toBe(1);
    expect(turn.warnings).toHaveLength(1);
    expect(await turn.open([user('B')])).toBe(1);
    expect(await turn.open([user('B'), call('a'), result('a', '1')])).toBe(2);
    expect(await turn.open([user('A')])).toBe(0);
    expect(turn.warnings).toHaveLength(1);
  });

  it('is decided by a function, of which everything but "restart" refuses', async () => {
    const seen: unknown[] = [];
    const turn = createTurn(change => {
      seen.push(change);
      return 'restart';
    });
    await turn.open([user('A')]);
    expect(await turn.open([user('B')])).toBe(1);
    expect(seen).toEqual([{ turnId: 'turn-1', scope: '', position: 0, role: 'user' }]);
    for (const policy of [
      () => 'refuse' as const,
      (() => undefined) as never,
      () => {
        throw new Error('no');
      },
    ]) {
      const refusing = createTurn(policy);
      await refusing.open([user('A')]);
      await expect(refusing.open([user('B')])).rejects.toMatchObject({ code: 'turn-changed' });
    }
  });

  it('of 5,000 messages costs one record of what was added', async () => {
    const long = Array.from({ length: 5000 }, (_, index) => user(`Message ${index}`));
    const turn = createTurn();
    await turn.open(long);
    const read = createConversationReader();
    const { digests } = await read([...long, user('A')]);
    const { added } = await findConversation(await read([...long, user('A')]), {
      ...{ turnId: 'turn-1', scope: '', onChangedTurn: 'refuse', warn: () => {} },
      first: (await read(long)).digests,
      read: async () => undefined,
    });
    expect(added).toEqual({ kept: 5000, digests: digests.slice(-1) });
  });
});

describe('the identity of random conversations', () => {
  /** Returns a generator of numbers below a limit. */
  function createRandom(seed: number): (limit: number) => number {
    let state = seed;
    return limit => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
  }
  const TEXTS = ['', ' ', 'A', 'B', 'A ', '\u0000', '"', '|', '/', '\uD800', 'é', 'e\u0301'];

  function randomMessage(random: (limit: number) => number): Message {
    const text = (): string => TEXTS[random(TEXTS.length)] ?? '';
    switch (random(4)) {
      case 0:
        return system(text());
      case 1:
        return user(...Array.from({ length: 1 + random(2) }, text));
      case 2:
        return call(`id ${random(3)}`, { [text()]: text() });
      default:
        return result(`id ${random(3)}`, text());
    }
  }

  it('is that of their contents', async () => {
    const count = isWhole ? 400 : 100;
    const contents = new Map<string, string>();
    for (let seed = 1; seed <= count; seed++) {
      const random = createRandom(seed);
      const prompt = Array.from({ length: 1 + random(4) }, () => randomMessage(random));
      const copy = structuredClone(prompt).map(message => ({
        ...message,
        providerOptions: { openai: { seed } },
      }));
      const id = await idOf(prompt);
      expect(await idOf(copy)).toBe(id);
      // A changed message is always another conversation, and never one that has this one as its beginning.
      const at = random(prompt.length);
      const other = prompt.toSpliced(at, 1, user(`changed ${seed}`));
      const turn = createTurn();
      await turn.open(prompt);
      expect(await turn.open([...prompt, user('more')])).toBe(1);
      await expect(turn.open(other)).rejects.toThrow(`at message ${at} (user)`);
      const same = contents.get(id);
      const text = JSON.stringify(prompt);
      if (same !== undefined && same !== text) expect(await idOf(JSON.parse(same) as Prompt)).toBe(id);
      contents.set(id, text);
    }
    expect(contents.size).toBeGreaterThan(count / 2);
  });
});
