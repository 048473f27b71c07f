import { jsonSchema, type LanguageModel, type ToolSet } from 'ai';
import type { ToolLoopOptions } from 'kelivo-responses';
import type { ModelAdapter } from 'kelivo-responses/adapters';
import { createSwitchableProvider } from 'kelivo-responses/host';
import { createLocalTools, createToolbox, type ToolSource } from 'kelivo-responses/tool-loop';
import { localTools } from '../../shared/demo-tools.js';
import type { Flag } from '../../shared/trace-event.js';

export interface OpenModelOptions {
  readonly modelId: string;
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  /** The name under which the server may find the requests of the turn. */
  readonly requestId: string;
  readonly fetch: typeof globalThis.fetch;
  /** The tools of the MCP servers; the playground's own come beside them. */
  readonly mcpTools: ToolSource;
  readonly adapters: readonly ModelAdapter[];
  readonly toolLoop: Omit<ToolLoopOptions, 'tools' | 'timeouts'>;
}

/** Milliseconds without a byte after which a stream counts as dead. The official provider has no such limit. */
const IDLE_LIMIT = 15_000;

/**
 * A model of either provider. Both run the same tools in the same loop with the same adapters, so that a comparison is
 * one of what they make of the wire.
 */
export function openModel(
  flag: Flag,
  { modelId, apiKey = '', requestId, mcpTools, ...settings }: OpenModelOptions,
): Exclude<LanguageModel, string> {
  const provider = createSwitchableProvider({
    kelivo: {
      ...settings,
      // A function, so that the environment is not asked: its key may belong to another endpoint.
      apiKey: () => apiKey,
      headers: { 'x-client-request-id': requestId },
      tools: localTools,
      mcpServers: mcpTools,
      timeouts: { idle: IDLE_LIMIT },
    },
    fallback: 'with-tool-loop',
    enabled: flag === 'kelivo',
  });
  return provider.languageModel(modelId);
}

/** A host that knows a tool shows its calls. The schema is open: the provider's own check is the one that counts. */
export async function declareTools(
  mcpTools: ToolSource,
  { signal }: { signal: AbortSignal },
): Promise<ToolSet> {
  const { tools } = await createToolbox([mcpTools, createLocalTools(localTools)]).listTools({ signal });
  return Object.fromEntries(
    tools.map(({ name, description }) => [
      name,
      { description, inputSchema: jsonSchema({ type: 'object' }) },
    ]),
  );
}
