import { joinMiddlewares } from '../../src/adapters/kit/middleware.js';
import { modelAdapters } from '../../src/adapters/model-adapters.js';
import { type ReadPart, readText, type ReadTextOptions } from './text-tools/_read-text.js';

/** Returns a function that reads a response of a model in all chunkings, or in few, as its adapters do. */
export const readAs =
  (
    modelId: string,
    tools: ReadTextOptions['tools'],
    options: Pick<ReadTextOptions, 'finishReason' | 'chunkings'> = {},
  ) =>
  async (text: string): Promise<ReadPart[]> => {
    const middleware = joinMiddlewares(...modelAdapters.findFor(modelId).map(adapter => adapter.middleware), {
      middlewareVersion: 'v2',
      overrideModelId: () => modelId,
    });
    return (await readText(text, { middleware, tools, ...options })).content;
  };

/** Returns the text of a response without calls. */
export const toText = (content: readonly ReadPart[]): string =>
  content.map(part => ('text' in part ? part.text : JSON.stringify(part))).join('');
