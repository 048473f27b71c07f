/**
 * Keeps embeddings comparable: the identity of an index, and models restricted to it.
 *
 * @module kelivo-responses/embeddings
 */
export type { EmbeddingModelOptions, KelivoEmbeddingModel } from './model.js';
export {
  type ActualEmbedding,
  type AnyEmbeddingModel,
  type EmbeddingIdentity,
  embeddingIdentity,
  type EmbeddingIdentityOptions,
  EmbeddingMismatchError,
  pinEmbeddingModel,
} from './identity.js';
