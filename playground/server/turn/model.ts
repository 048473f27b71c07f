import type { KelivoResponsesProvider, KelivoResponsesSettings, ToolLoopOptions } from 'kelivo-responses';
import { type ModelAdapter, modelAdapters } from 'kelivo-responses/adapters';
import { createSwitchableProvider } from 'kelivo-responses/host';
import type { ToolSource } from 'kelivo-responses/tool-loop';
import { localTools } from '../../shared/demo-tools.js';
import type { Settings } from '../../shared/playground-state.js';
import type { Flag } from '../../shared/trace-event.js';

export interface OpenProviderOptions {
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  /** Sent as `x-client-request-id` with each request of the turn. */
  readonly requestId: string;
  readonly fetch: typeof globalThis.fetch;
  /** Tools of the MCP servers, used in addition to the local tools. */
  readonly mcpTools: ToolSource;
  /** @default the local tools of the playground */
  readonly tools?: KelivoResponsesSettings['tools'];
  readonly adapters: readonly ModelAdapter[];
  readonly toolLoop: Omit<ToolLoopOptions, 'tools' | 'timeouts'>;
}

/** Milliseconds without data until a stream fails. The official provider has no such limit. */
const IDLE_LIMIT = 15_000;

/**
 * Opens either provider. Both use the same tools, loop and adapters, so that a comparison shows only the differences
 * between the providers.
 */
export function openProvider(
  flag: Flag,
  { apiKey = '', requestId, mcpTools, tools = localTools, ...settings }: OpenProviderOptions,
): KelivoResponsesProvider {
  return createSwitchableProvider({
    kelivo: {
      ...settings,
      // A function prevents the fallback to the environment, whose key may belong to another endpoint.
      apiKey: () => apiKey,
      headers: { 'x-client-request-id': requestId },
      tools,
      mcpServers: mcpTools,
      timeouts: { idle: IDLE_LIMIT },
    },
    fallback: 'with-tool-loop',
    enabled: flag === 'kelivo',
  });
}

/** Returns the enabled adapters that match the model. */
export const adaptersFor = ({
  modelId,
  disabledAdapters,
}: Pick<Settings, 'modelId' | 'disabledAdapters'>): readonly ModelAdapter[] =>
  modelAdapters.findFor(modelId).filter(({ name }) => !disabledAdapters.includes(name));
