// The package lacks the type files that its manifest names. Declares what the tests use.

/** The fields of a result that the tests read. */
export interface TextResult {
  readonly text: string | PromiseLike<string>;
  readonly finishReason: string | PromiseLike<string>;
  readonly usage: Usage | PromiseLike<Usage>;
  readonly totalUsage: Usage | PromiseLike<Usage>;
  readonly warnings: unknown;
  consumeStream?(): Promise<void>;
}

export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
}

export interface Executor {
  streamText(parameters: Record<string, unknown>): Promise<TextResult>;
  generateText(parameters: Record<string, unknown>): Promise<TextResult>;
}

export function createExecutor(
  providerId: string,
  settings: Record<string, unknown>,
  plugins?: unknown[],
): Promise<Executor>;

export function definePlugin(plugin: {
  name: string;
  configureContext(context: { middlewares?: unknown[] }): void;
}): unknown;

export class ProviderExtension {
  static create(config: {
    name: string;
    aliases?: string[];
    supportsImageGeneration?: boolean;
    create?: (settings?: Record<string, unknown>) => { specificationVersion: 'v3' };
  }): ProviderExtension;
}

export class ExtensionRegistry {
  register(extension: ProviderExtension): this;
  unregister(name: string): boolean;
  createProvider(name: string, settings: Record<string, unknown>): Promise<object>;
}

export const extensionRegistry: ExtensionRegistry;

export function defaultSettingsMiddleware(options: { settings: Record<string, unknown> }): unknown;
