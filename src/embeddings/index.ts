/**
 * Keeps embeddings comparable: the identity of an index, and models restricted to it.
 *
 * @module kelivo-responses/embeddings
 */
export type { EmbeddingModelOptions } from '../core/embedding.js';
export type { AnyEmbeddingModel, KelivoEmbeddingModel } from '../versions/embedding-model.js';
export {
  type ActualEmbedding,
  type EmbeddingIdentity,
  embeddingIdentity,
  type EmbeddingIdentityOptions,
  EmbeddingMismatchError,
  pinEmbeddingModel,
} from './identity.js';
