import type { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV2 } from '@ai-sdk/provider';
import type { FetchFunction } from '@ai-sdk/provider-utils';
import { KelivoError } from '../shared/errors.js';

export interface OfficialModelConfig {
  /** The root that `/responses` is added to. */
  readonly baseURL: string;
  /** All headers of the request, with the key among them where there is one. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Whether a request without any key is a mistake. */
  readonly needsKey: boolean;
  readonly fetch: FetchFunction;
  readonly importOpenAI: ImportOpenAI | undefined;
}

/** Imports the official provider's package, `@ai-sdk/openai` 2. */
export type ImportOpenAI = () => Promise<unknown>;

/**
 * The Responses model of `@ai-sdk/openai`, an optional peer that is loaded when it is first needed.
 *
 * @throws KelivoError with code `missing-package` where it is not installed, or in another major version.
 */
export async function openOfficialModel(
  modelId: string,
  { baseURL, headers, needsKey, fetch, importOpenAI = () => import('@ai-sdk/openai') }: OfficialModelConfig,
): Promise<LanguageModelV2> {
  const official = await load(importOpenAI);
  const hasKey = headers.authorization !== undefined || headers['api-key'] !== undefined;
  // Without a key where one is needed, the official provider says what is missing.
  const isSettled = hasKey || !needsKey;
  const model = official
    .createOpenAI({
      baseURL,
      ...(isSettled && { apiKey: '' }),
      // The official provider makes a header of each key: an undefined value takes that one out.
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
      'Install it with `npm install @ai-sdk/openai@2`, or beside the other under a name that `importOpenAI` imports.',
  });
}

async function load(importOpenAI: ImportOpenAI): Promise<OfficialPackage> {
  try {
    const official = (await importOpenAI()) as OfficialPackage;
    if (typeof official.createOpenAI !== 'function')
      throw new TypeError('It has no function `createOpenAI`.');
    return official;
  } catch (cause) {
    throw new KelivoError({
      code: 'missing-package',
      message:
        'Expected the package @ai-sdk/openai for a model that is switched to the official provider, but it could not be ' +
        'loaded. Install it with `npm install @ai-sdk/openai@2`, or switch the model on.',
      cause,
    });
  }
}

interface OfficialPackage {
  readonly createOpenAI: typeof createOpenAI;
}
