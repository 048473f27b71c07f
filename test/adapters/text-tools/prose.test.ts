import { describe, expect, it, vi } from 'vitest';
import { formats } from '../../../src/adapters/index.js';
import type { TextToolsOptions } from '../../../src/adapters/text-tools/text-tools.js';
import { textToolsMiddleware } from '../../../src/adapters/kit/text-tools-middleware.js';
import fc from '../../_property.js';
import { readText } from './_read-text.js';

const recorded = vi.hoisted((): TextToolsOptions[] => []);

// Records the formats of all families, so that this test covers each family that is registered.
vi.mock('../../../src/adapters/kit/text-tools-middleware.js', async importOriginal => {
  const original = await importOriginal<{ textToolsMiddleware: typeof textToolsMiddleware }>();
  return {
    ...original,
    textToolsMiddleware: (options: TextToolsOptions) => {
      recorded.push(options);
      return original.textToolsMiddleware(options);
    },
  };
});

const tools = { look: { place: { type: 'string' } } };

const samples = [
  '<tool_call>{"name": "look", "arguments": {"place": "x"}}</tool_call>',
  '<tool_call>\n<function=look>\n<parameter=place>\nx\n</parameter>\n</function>\n</tool_call>',
  '{"name": "look", "parameters": {"place": "x"}}',
  '[look(place="x")]',
];

/** Markdown that mentions the markers of a format in prose and in code, without a call. */
function toMarkdown({ formats, reasoning = [] }: TextToolsOptions): fc.Arbitrary<string> {
  const tags = reasoning.flatMap(({ open, close }) => [open, close]);
  const coded = formats.flatMap(format => [
    ...format.openers,
    ...(format.lineOpeners ?? []),
    ...(format.prefixes ?? []),
    ...(format.closers ?? []),
    ...(format.artefacts ?? []),
    ...(format.turnEnds ?? []),
    ...(format.wrappers ?? []).flatMap(({ open, close }) => [open, close]),
  ]);
  // Special tokens that structure whole messages have no meaning as prose.
  const isStructure = formats.some(format => format.isMessageMarkup === true);
  const mentioned = isStructure || reasoning.some(({ isAnywhere }) => isAnywhere === true) ? [] : coded;
  const inCode = fc.constantFrom(...coded, ...tags, ...samples).map(marker => marker.trim());
  const inProse = fc.constantFrom('a marker', ...mentioned, ...tags).map(marker => marker.trim());
  const line = fc.oneof(
    inProse.map(marker => `The models write ${marker} in their text, as “${marker}”.`),
    inCode.map(
      marker => `Inline \`${marker.replaceAll('\n', ' ')}\` and \`\`x ${marker.replaceAll('\n', ' ')} y\`\`.`,
    ),
    fc.tuple(inCode, inCode).map(([one, other]) => `\`\`\`xml\n${one}\n${other}\n\`\`\``),
    inCode.map(marker => `~~~~\n${marker} x\n~~~\n~~~~`),
    fc.constantFrom('', 'a < b [1] {x} (f(y=1))', '1. functools is a module: call: me', '| a | b |'),
  );
  return fc.array(line, { minLength: 1, maxLength: 5 }).map(lines => `So:\n${lines.join('\n')}\nEnd.`);
}

it('records the formats of all families', () => {
  expect(recorded.length).toBeGreaterThan(10);
});

/** The syntaxes of the families, each once. */
const syntaxes = new Map(
  recorded.map(options => [
    [...options.formats.map(({ name }) => name), ...(options.reasoning ?? []).map(({ open }) => open)].join(
      ', ',
    ),
    options,
  ]),
);

describe.each([undefined, { type: 'none' as const }])('with the tool choice %j', toolChoice => {
  it.each([...syntaxes])('prose and code about the formats %s stay unchanged', async (_, options) => {
    const middleware = textToolsMiddleware({ ...options, startsInReasoning: false });
    await fc.assert(
      fc.asyncProperty(toMarkdown(options), async text => {
        const { content } = await readText(text, {
          middleware,
          tools,
          chunkings: 'few',
          ...(toolChoice && { toolChoice }),
        });
        expect(content).toEqual([{ text }]);
      }),
      // Without calls, the same texts are read by the same code.
      { numRuns: toolChoice === undefined ? 40 : 15 },
    );
  });
});

const mentionBeforeFence = [
  'So:',
  'The models write <|START_ACTION|> in their text, as “<|START_ACTION|>”.',
  '```xml',
  '<tool_call>{"name": "look", "arguments": {"place": "x"}}</tool_call>',
  '<|END_RESPONSE|>',
  '```',
  'End.',
].join('\n');

it.each([undefined, { type: 'none' as const }])(
  'the fence after a marker that prose mentions counts, with the tool choice %j',
  async toolChoice => {
    const middleware = textToolsMiddleware({ formats: [formats.commandR, formats.hermes] });
    const { content } = await readText(mentionBeforeFence, {
      middleware,
      tools,
      ...(toolChoice && { toolChoice }),
    });
    expect(content).toEqual([{ text: mentionBeforeFence }]);
  },
);
