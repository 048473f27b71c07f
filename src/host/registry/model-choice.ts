import * as z from 'zod/v4';
import { parseSettings, type SettingsOf } from '../../shared/settings.js';

/** The tasks that models are chosen for. */
export type ModelKind = 'chat' | 'embedding';

const text = z.string().nullish();
const length = z.number().int().min(1).nullish();

const shape = {
  /**
   * Name or alias of a provider, in any case. Alone, it selects the default model of that provider for the role.
   */
  provider: text,
  /** A model name as the registry accepts it. If `provider` is set, a model id of that provider. */
  model: text,
  /** The same as `model`, as in an `EmbeddingIdentity`. */
  modelId: text,
  /** API key for the requests of this model. */
  apiKey: text,
  /** Base URL. It receives the default API key unless the record has one, so use trusted records only. */
  baseURL: text,
  /** Vector length, for embedding models. */
  dimensions: length,

  /** The same as `apiKey`. */
  api_key: text,
  /** The same as `baseURL`. */
  base_url: text,
  /** Provider of language models, in a row that also configures embeddings. */
  llm_provider: text,
  /** Language model. */
  llm_model: text,
  /** API key of the language model. */
  llm_api_key: text,
  /** Base URL of the language model. */
  llm_base_url: text,
  /** Provider of embedding models. */
  embedding_provider: text,
  /** Embedding model. */
  embedding_model: text,
  /** API key of the embedding model. */
  embedding_api_key: text,
  /** Base URL of the embedding model. */
  embedding_base_url: text,
  /** Vector length. */
  embedding_dimensions: length,
  /** The same as `embedding_dimensions`. */
  embedding_dims: length,
};

const schema = z.strictObject(shape);

/**
 * Model selection of an application record. Null, blank or missing fields fall back to the role. A row of a database may be
 * passed as it is if it has these columns only. With an `llm_…` column, the fields without a prefix belong to the
 * language model, and embedding models read `embedding_…` alone.
 */
export type ModelChoice = SettingsOf<typeof shape>;

/** The fields of a record that apply to one kind of model. */
export interface NormalizedChoice {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** True if `embedding_provider` comes with a model that may be meant for language models. */
  readonly isUnclear: boolean;
  readonly apiKey: string | undefined;
  readonly baseURL: string | undefined;
  readonly dimensions: number | undefined;
}

/**
 * Reads the fields of a record for one kind of model.
 *
 * @throws KelivoError with code `invalid-settings` for an unknown or invalid field.
 */
export function normalizeChoice(choice: ModelChoice, kind: ModelKind): NormalizedChoice {
  const record = parseSettings<ModelChoice>(schema, choice, 'the record of a model');
  const isChat = kind === 'chat';
  const isShared = isChat || !Object.keys(record).some(key => key.startsWith('llm_'));
  const pick = (own: string | null | undefined, ...shared: (string | null | undefined)[]) =>
    [own, ...(isShared ? shared : [])].map(value => value?.trim()).find(value => value);
  const ownModel = isChat ? record.llm_model : record.embedding_model;
  const ownProvider = isChat ? record.llm_provider : record.embedding_provider;
  return {
    provider: pick(ownProvider, record.provider),
    model: pick(ownModel, record.model, record.modelId),
    isUnclear: !isChat && pick(ownModel) === undefined && pick(ownProvider) !== undefined,
    apiKey: pick(isChat ? record.llm_api_key : record.embedding_api_key, record.apiKey, record.api_key),
    baseURL: pick(isChat ? record.llm_base_url : record.embedding_base_url, record.baseURL, record.base_url),
    dimensions: record.embedding_dimensions ?? record.embedding_dims ?? record.dimensions ?? undefined,
  };
}
