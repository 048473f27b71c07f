import { joinMiddlewares } from '../../src/adapters/kit/middleware.js';
import { modelAdapters } from '../../src/adapters/model-adapters.js';
import { type ReadPart, readText, type ReadTextOptions, streamChunks } from './text-tools/_read-text.js';

const tools = {
  look: { place: { type: 'string' }, days: { type: 'integer' }, hourly: { type: 'boolean' } },
  save: { path: { type: 'string' }, body: { type: 'string' }, tags: { type: 'array' } },
  ping: {},
};

export const callOf = (call: string, input: object = {}): ReadPart => ({ call, input });

const middlewareOf = (modelId: string) =>
  joinMiddlewares(
    ...modelAdapters.findFor(modelId).map(adapter => adapter.middleware),
    // The scripted model has another id.
    { middlewareVersion: 'v2', overrideModelId: () => modelId },
  );

/** Reads the text of a model through its adapters, in every chunking, or in few. */
export const readerOf =
  (modelId: string, options: Pick<ReadTextOptions, 'chunkings'> = {}) =>
  async (text: string) =>
    (await readText(text, { middleware: middlewareOf(modelId), tools, ...options })).content;

/** Returns the deltas of the arguments, by the chunk after which they were emitted. */
export async function inputDeltas(modelId: string, chunks: readonly string[]): Promise<string[]> {
  const parts = await streamChunks(chunks, { middleware: middlewareOf(modelId), tools });
  return parts.flatMap(part => (part.type === 'tool-input-delta' ? [part.delta] : []));
}
