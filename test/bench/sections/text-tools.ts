import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { hermesToolMiddleware } from '@ai-sdk-tool/parser';
import type { LanguageModelV2CallOptions, LanguageModelV2Middleware } from '@ai-sdk/provider';
import { wrapLanguageModel } from 'ai';
import { adaptModel, formats, textToolsMiddleware } from 'kelivo-responses/adapters';
import { OPTIONS } from '../_models.js';
import { createWritingModel } from '../_writing-model.js';
import { drain } from '../_transport.js';
import { WRITTEN_CALLS } from '../_written-calls.js';
import { compare, type Contender } from '../compare.js';
import { type Figure, toShare, toSpeed } from '../figure.js';
import type { Scale } from '../scale.js';

const hermes = textToolsMiddleware({ formats: [formats.hermes] });

/** Functions that write a call in each format, and the middleware that reads it. */
const FORMATS: Readonly<
  Record<string, { write: (content: string) => string; read: LanguageModelV2Middleware }>
> = {
  Hermes: {
    write: content =>
      `<tool_call>\n${JSON.stringify({ name: 'write_file', arguments: { path: 'notes.txt', content } })}\n</tool_call>`,
    read: hermes,
  },
  'Qwen XML': {
    write: content =>
      `<tool_call>\n<function=write_file>\n<parameter=path>\nnotes.txt\n</parameter>\n<parameter=content>\n${content}\n</parameter>\n</function>\n</tool_call>`,
    read: textToolsMiddleware({ formats: [formats.qwenXml] }),
  },
};

/**
 * Measures calls with long arguments that a model writes as text, in deltas of four characters. If the environment variable
 * `PACKAGE` names another checkout, short calls are compared with it instead.
 */
export async function measureTextTools({ textTools, ...scale }: Scale): Promise<Figure[]> {
  const { PACKAGE } = process.env;
  if (PACKAGE !== undefined) return measureOther(PACKAGE, scale);
  const { peer: peerSize, half, whole } = textTools;
  const figures: Figure[] = [];
  const call = FORMATS.Hermes?.write(toText(peerSize)) ?? '';
  const costs = await compare(
    {
      ours: reading(call, hermes),
      peer: reading(call, hermesToolMiddleware as unknown as LanguageModelV2Middleware),
    },
    // One run of the peer takes seconds.
    { samples: Math.min(scale.samples, 7), warmUp: Math.min(scale.warmUp, 1), time: 'processor' },
  );
  figures.push(
    toSpeed(
      {
        name: `Hermes, arguments of ${peerSize} KB`,
        rival: '`@ai-sdk-tool/parser`',
        ours: costs.ours,
        theirs: costs.peer,
      },
      20,
    ),
  );
  for (const [name, { write, read }] of Object.entries(FORMATS)) {
    const { longer, shorter } = await compare(
      { longer: reading(write(toText(whole)), read), shorter: reading(write(toText(half)), read) },
      { ...scale, time: 'processor' },
    );
    figures.push(
      toShare(
        { name: `${name}, arguments of ${whole} KB`, rival: `${half} KB`, ours: longer, theirs: shorter },
        2.3,
      ),
    );
  }
  return figures;
}

/** The families whose short calls are compared with another checkout, with one for each kind of syntax. */
const SHORT_CALLS = [
  'hermes',
  'qwen xml',
  'mistral',
  'deepseek v3.1',
  'deepseek v3.2',
  'glm',
  'kimi',
  'minimax m2',
  'minimax m3',
  'lfm2',
  'gemma4',
];

/**
 * Measures responses of many short calls with the adapters of this checkout and of another one.
 */
async function measureOther(folder: string, scale: Omit<Scale, 'textTools'>): Promise<Figure[]> {
  const file = pathToFileURL(path.resolve(folder, 'dist/adapters/index.js')).href;
  const other = (await import(file)) as { adaptModel: typeof adaptModel };
  const figures: Figure[] = [];
  for (const name of SHORT_CALLS) {
    const { modelId, call } = WRITTEN_CALLS[name] ?? fail(name);
    const text = call('write_file', 'a short note').repeat(scale.samples === 1 ? 2 : 100);
    const read = (adapt: typeof adaptModel): Contender => {
      const model = adapt(createWritingModel(text, modelId), { startsInReasoning: false });
      return async () => drain((await model.doStream(OPTIONS)).stream);
    };
    const { ours, theirs } = await compare(
      { ours: read(adaptModel), theirs: read(other.adaptModel) },
      // A difference of a few percent needs more samples than a factor.
      { samples: scale.samples * 3, warmUp: scale.warmUp, time: 'processor' },
    );
    figures.push(toShare({ name: `short calls: ${name}`, rival: 'the other checkout', ours, theirs }));
  }
  return figures;
}

function fail(name: string): never {
  throw new Error(`Expected a row of \`WRITTEN_CALLS\`, got "${name}".`);
}

/** Returns text with quotes, line ends and angle brackets that do not begin a tag. */
function toText(kilobytes: number): string {
  const line = 'if (a < b && "quoted" !== c) { return `<${d}>`; } // a line of a program\n';
  return line.repeat(Math.ceil((kilobytes * 1024) / line.length)).slice(0, kilobytes * 1024);
}

function reading(text: string, middleware: LanguageModelV2Middleware): Contender {
  const model = wrapLanguageModel({ model: createWritingModel(text), middleware });
  return async () => {
    const { stream } = await model.doStream(OPTIONS as LanguageModelV2CallOptions);
    let calls = 0;
    for await (const { type } of stream) if (type === 'tool-call') calls++;
    if (calls !== 1) throw new Error(`Expected one call in the text, got ${calls}.`);
  };
}
