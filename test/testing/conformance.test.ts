import { describe, expect, it } from 'vitest';
import { type AdaptedCall, blocks, defineModelAdapter, families, formats } from '../../src/adapters/index.js';
import { testAdapter, testTextFormat } from '../../src/testing/index.js';

const always = { name: 'mine', appliesTo: () => true };
let count = 0;

describe('testAdapter', () => {
  it.each(Object.values(families).map(family => [family.name, family] as const))(
    'accepts %s',
    async (_, family) => {
      await testAdapter(family, {
        responses: ['<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>'],
      });
    },
  );

  it('accepts an adapter that changes texts and has a state of each call', async () => {
    const stateful = defineModelAdapter({
      ...always,
      state: () => ({ isFirst: true }),
      adapt: async options => ({ ...options, temperature: 0 }),
      async adaptBack(part, { state }) {
        if (part.type !== 'text-delta') return part;
        const delta = state.isFirst ? `* ${part.delta}` : part.delta;
        state.isFirst = false;
        return { ...part, delta };
      },
    });
    await testAdapter(stateful);
  });

  it.each<[string, object, RegExp]>([
    [
      'appends a mark to every delta',
      { adaptBack: (part: Part) => ('delta' in part ? { ...part, delta: `${part.delta}!` } : part) },
      /one character at a time as in one chunk: expected .*!/,
    ],
    [
      'drops finish',
      { adaptBack: (part: Part) => (part.type === 'finish' ? undefined : part) },
      /the part `finish`/,
    ],
    [
      'drops text-end',
      { adaptBack: (part: Part) => (part.type === 'text-end' ? undefined : part) },
      /does not end the block of text/,
    ],
    [
      'counts over calls',
      {
        adaptBack: (part: Part) =>
          part.type === 'text-start'
            ? [part, { type: 'text-delta', id: part.id, delta: String(count++) }]
            : part,
      },
      /a second time as in one chunk/,
    ],
    [
      'changes the request',
      {
        adapt(options: { temperature: number }) {
          options.temperature = 0;
          return options;
        },
      },
      /it throws .*temperature/,
    ],
    ['returns a number', { adaptBack: () => 5 }, /to return a part or a list of parts, got 5/],
    ['has a misspelt field', { adaptback: () => [] }, /Did you mean "adaptBack"/],
    [
      'changes streams only',
      {
        middleware: {
          wrapStream: async ({ doStream }: { doStream: () => Promise<{ stream: ReadableStream<Part> }> }) => {
            const result = await doStream();
            const louder = new TransformStream<Part, Part>({
              transform: (part, out) =>
                out.enqueue(
                  part.type === 'text-delta' ? { ...part, delta: part.delta?.toUpperCase() ?? '' } : part,
                ),
            });
            return { ...result, stream: result.stream.pipeThrough(louder) };
          },
        },
      },
      /generated as in one chunk/,
    ],
  ])('rejects one that %s', async (_, fields, reason) => {
    await expect(testAdapter({ ...always, ...fields } as never)).rejects.toThrow(reason);
  });

  const mapIds = (toId: (id: string, type: string) => string) => ({
    adapt: ({ prompt, ...options }: AdaptedCall) => ({
      ...options,
      prompt: prompt.map(message => ({
        ...message,
        content:
          typeof message.content === 'string'
            ? message.content
            : message.content.map(part =>
                'toolCallId' in part ? { ...part, toolCallId: toId(part.toolCallId, part.type) } : part,
              ),
      })),
    }),
  });

  it.each([
    [
      'renames calls only',
      mapIds((id, type) => (type === 'tool-call' ? `${id}x` : id)),
      /under the id of its call/,
    ],
    ['cuts ids', mapIds(id => id.slice(0, 12)), /an id of its own/],
    [
      'counts requests in ids',
      mapIds(id => `${id}${Math.floor(count++ / 6)}`),
      /the same ids in every request/,
    ],
    ['keeps ids', { adaptBack: (part: object) => part }, /ids that match .*call_abc-0123456789-first/],
  ])('rejects one that %s', async (_, fields, reason) => {
    const options = { toolCallIds: /^[a-z\d]{1,12}$/ };
    await expect(testAdapter({ ...always, ...fields } as never, options)).rejects.toThrow(reason);
  });

  it('accepts ids of the building block', async () => {
    const middleware = blocks.callIds({
      isValid: ({ toolCallId }) => /^[a-z\d]{1,12}$/i.test(toolCallId),
      toValid: ({ toolCallId }, attempt) =>
        blocks.toAlphanumericId(`${toolCallId} ${attempt}`, { length: 12 }),
    });
    await testAdapter({ ...always, middleware }, { toolCallIds: /^[a-z\d]{1,12}$/i });
  });

  it('accepts its own repair of each of them', async () => {
    await testAdapter(defineModelAdapter({ ...always, adaptBack: part => part }));
  });
});

interface Part {
  readonly type: string;
  readonly id?: string;
  readonly delta?: string;
}

const tools = [{ name: 'search', parameters: { type: 'object', properties: { query: { type: 'string' } } } }];
const call = { name: 'search', arguments: { query: 'x, "y"' } };
const vector = {
  input: 'I look.\n<call>{"name": "search", "arguments": {"query": "x, \\"y\\""}}</call>',
  tools,
  expected: { text: 'I look.', toolCalls: [call] },
};
const good = blocks.jsonCalls('calls', { openers: ['<call>'], closers: ['</call>'] });

describe('testTextFormat', () => {
  it('accepts formats that read their vectors', async () => {
    await testTextFormat(good, [vector]);
    await testTextFormat(formats.qwenXml, [
      {
        input:
          '<tool_call>\n<function=search>\n<parameter=query>\nx, "y"\n</parameter>\n</function>\n</tool_call>',
        tools,
        expected: { toolCalls: [call] },
      },
    ]);
  });

  it.each<[string, object, object[], RegExp]>([
    [
      'shows a closer',
      { ...good, closers: [] },
      [vector],
      /leaves the text of .*received "I look\.\\n?<\/call>/,
    ],
    [
      'reads another value',
      good,
      [{ ...vector, expected: { text: 'I look.', toolCalls: [{ ...call, arguments: { query: 'z' } }] } }],
      /reads the calls of .*expected \["search \{\\"query\\":\\"z\\"\}"\]/,
    ],
    [
      'runs half a call',
      {
        ...good,
        *read(
          _cursor: unknown,
          calls: { begin(name: string): void; input(text: string): void; end(): void },
        ) {
          calls.begin('search');
          calls.input('{"query":"x"}');
          calls.end();
          yield* [];
          return true;
        },
      },
      [vector],
      /runs no half call/,
    ],
    [
      'throws',
      {
        ...good,
        *read() {
          yield* [];
          throw new Error('No such rule.');
        },
      },
      [vector],
      /it throws No such rule\./,
    ],
    ['reads prose', { ...good, openers: ['`'] }, [vector], /prose|reads the calls/],
    ['has no vectors', good, [], /has no vectors/],
  ])('rejects one that %s', async (_, format, vectors, reason) => {
    await expect(testTextFormat(format as never, vectors as never)).rejects.toThrow(reason);
  });
});
