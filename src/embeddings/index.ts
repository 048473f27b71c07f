/**
 * Embeddings that stay comparable: who made the vectors of an index, and models that keep to it.
 *
 * @module kelivo-responses/embeddings
 */
export type { EmbeddingModelOptions, KelivoEmbeddingModel } from './create-embedding-model.js';
export {
  type AnyEmbeddingModel,
  type EmbeddingIdentity,
  embeddingIdentity,
  type EmbeddingIdentityOptions,
} from './embedding-identity.js';
export { type ActualEmbedding, EmbeddingMismatchError } from './embedding-mismatch-error.js';
export { pinEmbeddingModel } from './pin-embedding-model.js';
