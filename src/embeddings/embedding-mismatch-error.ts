import { KelivoError } from '../shared/errors.js';
import type { EmbeddingIdentity } from './embedding-identity.js';

/** The length is undefined where the call was refused before it could be known. */
export type ActualEmbedding = Omit<EmbeddingIdentity, 'dimensions'> & {
  readonly dimensions: number | undefined;
};

/** An index was to be searched with vectors that cannot be compared with its own. */
export class EmbeddingMismatchError extends KelivoError {
  /** What the index was made with. */
  readonly expected: EmbeddingIdentity;
  /** What the vectors of the call are of, or would have been. */
  readonly actual: ActualEmbedding;

  constructor({ expected, actual }: { expected: EmbeddingIdentity; actual: ActualEmbedding }) {
    super({
      code: 'embedding-mismatch',
      message:
        `Expected embeddings of ${describe(expected)}, which the index was made with, got ${describe(actual)}. ` +
        'Use the model of the index, or make the index anew.',
    });
    this.name = 'EmbeddingMismatchError';
    this.expected = expected;
    this.actual = actual;
  }

  /** Whether `error` is an `EmbeddingMismatchError`, also of another copy of this package. */
  static override isInstance(error: unknown): error is EmbeddingMismatchError {
    return KelivoError.isInstance(error) && error.code === 'embedding-mismatch';
  }
}

const describe = ({ provider, modelId, dimensions }: ActualEmbedding): string =>
  `${provider} "${modelId}"${dimensions === undefined ? '' : ` with ${dimensions} dimensions`}`;
