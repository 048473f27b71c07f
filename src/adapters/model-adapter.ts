import type { LanguageModelV2Middleware } from '@ai-sdk/provider';

/** What a family of models needs to be used like any other. */
export interface ModelAdapter {
  /** The family, for example `mistral`. Unique in a registry. */
  readonly name: string;
  /** Whether a model is of this family, told by its name and not by who serves it. */
  appliesTo(modelId: string): boolean;
  /** What stands between the caller and the model. Several calls go through it at once. */
  readonly middleware: LanguageModelV2Middleware;
}
