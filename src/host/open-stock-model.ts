import type { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV2 } from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { KelivoError } from '../errors.js';

export interface StockModelConfig {
  /** The root that `/responses` is added to. */
  readonly baseURL: string;
  /** All headers of the request, with the key among them where there is one. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Whether a request without any key is a mistake. */
  readonly needsKey: boolean;
  readonly fetch: FetchFunction;
  readonly importStock: ImportStock | undefined;
}

/** Imports the stock provider's package, `@ai-sdk/openai` 2. */
export type ImportStock = () => Promise<unknown>;

/**
 * The Responses model of `@ai-sdk/openai`, an optional peer that is loaded when it is first needed.
 *
 * @throws KelivoError with code `missing-package` where it is not installed, or in another major version.
 */
export async function openStockModel(
  modelId: string,
  { baseURL, headers, needsKey, fetch, importStock = () => import('@ai-sdk/openai') }: StockModelConfig,
): Promise<LanguageModelV2> {
  const stock = await load(importStock);
  const hasKey = headers.authorization !== undefined || headers['api-key'] !== undefined;
  // Without a key where one is needed, the stock provider says what is missing.
  const isSettled = hasKey || !needsKey;
  const model = stock
    .createOpenAI({
      baseURL,
      ...(isSettled && { apiKey: '' }),
      // The stock provider makes a header of each key: an undefined value takes that one out.
      headers: { ...(isSettled && { Authorization: undefined }), ...headers } as Record<string, string>,
      fetch,
    })
    .responses(modelId);
  const { specificationVersion }: { specificationVersion: string } = model;
  if (specificationVersion === 'v2') return model;
  throw new KelivoError({
    code: 'missing-package',
    message:
      `Expected @ai-sdk/openai 2, whose models are of version v2, got one with models of version ${specificationVersion}. ` +
      'Install it with `npm install @ai-sdk/openai@2`, or beside the other under a name that `importStock` imports.',
  });
}

async function load(importStock: ImportStock): Promise<StockPackage> {
  try {
    const stock = (await importStock()) as StockPackage;
    if (typeof stock.createOpenAI !== 'function') throw new TypeError('It has no function `createOpenAI`.');
    return stock;
  } catch (cause) {
    throw new KelivoError({
      code: 'missing-package',
      message:
        'Expected the package @ai-sdk/openai for a model that is switched to the stock provider, but it could not be ' +
        'loaded. Install it with `npm install @ai-sdk/openai@2`, or switch the model on.',
      cause,
    });
  }
}

interface StockPackage {
  readonly createOpenAI: typeof createOpenAI;
}
