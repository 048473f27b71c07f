import type { LanguageModelV2 } from './specification-v2.js';
import { fromLanguageModel, toLanguageModel } from './language-model.js';
import type { AnyLanguageModel } from './specification.js';

/** Any language model of version 3 or 4, of this or another provider. */
export interface LaterLanguageModel extends AnyLanguageModel {
  readonly specificationVersion: 'v3' | 'v4';
}

/**
 * Converts a model of `ai` 6 or 7 to version 2, for hosts and packages that accept no other. A later conversion back with
 * `toLanguageModelV3` or `toLanguageModelV4` loses nothing.
 *
 * @example
 * ```ts
 * const model = toLanguageModelV2(openai('gpt-5'));
 * ```
 */
export const toLanguageModelV2 = (model: LaterLanguageModel): LanguageModelV2 =>
  toLanguageModel(fromLanguageModel(model), 'v2');
