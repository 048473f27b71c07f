import { toEmbeddingServer } from '../embedding.js';

/** A model of any version. Only those of this package have the member `server`. */
interface ServedModel {
  readonly modelId: string;
  readonly server?: PromiseLike<string | undefined> | string | undefined;
}

/**
 * Returns the address of a model's server. The models of the AI SDK keep it in a field that is no part of their interface,
 * so that another form of it only means that the address is not known.
 */
export function embeddingServerOf(model: ServedModel): PromiseLike<string | undefined> | string | undefined {
  if (model.server !== undefined) return model.server;
  const { config } = model as { config?: { url?: unknown; baseURL?: unknown } };
  const toUrl = config?.url as ((endpoint: { path: string; modelId: string }) => unknown) | undefined;
  try {
    const address =
      typeof toUrl === 'function' ? toUrl({ path: '/embeddings', modelId: model.modelId }) : config?.baseURL;
    return typeof address === 'string' ? toEmbeddingServer(address) : undefined;
  } catch {
    return undefined;
  }
}
