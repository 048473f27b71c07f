import { stepCountIs, streamText } from 'ai';
import { createKelivoResponsesProvider, type McpServers, type ToolLoopEvent } from 'kelivo-responses';
import { createMcpTools } from 'kelivo-responses/mcp';
import { collectTurn } from './collect-turn.js';
import type { DemoEvent } from './demo-event.js';
import { type Inspection, inspectServers } from './inspect-servers.js';
import { localTools } from './local-tools.js';
import { type Endpoint, openEndpoint } from './open-endpoint.js';

export interface DemoOptions {
  readonly modelId: string;
  readonly mcpServers: McpServers;
  /** Whether the provider runs tools. Without, the bare model is asked and no MCP server is started. */
  readonly hasLoop: boolean;
  /** Where `OPENAI_API_KEY` and `OPENAI_BASE_URL` are looked for. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends the set-up. */
  readonly signal: AbortSignal;
}

/** A demo that is set up: an endpoint, a provider and its tools. It prints nothing. */
export interface Demo {
  readonly endpoint: Endpoint;
  /** The MCP servers, also those that do not work; empty without the tool loop. */
  readonly inspection: Inspection;
  /** The names of the local tools; empty without the tool loop. */
  readonly localTools: readonly string[];
  /** Asks one question at a time: the loop's reports go to the last one that was asked. */
  ask(question: string, options: { signal: AbortSignal }): ReadableStream<DemoEvent>;
  /** Ends servers, connections and the emulator. */
  close(): Promise<void>;
}

/**
 * Sets the demo up. A server that does not start is left out; `inspection` tells why.
 *
 * @throws Error when there are servers and none of them starts.
 */
export async function openDemo({
  modelId,
  mcpServers,
  hasLoop,
  environment,
  signal,
}: DemoOptions): Promise<Demo> {
  // `ai` would print them itself, as they come from outside; here they are events.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const mcpTools = createMcpTools(mcpServers);
  const inspection = hasLoop ? await inspectServers(mcpTools, { signal }) : { servers: [], notes: [] };
  const { servers, notes } = inspection;
  const problems = servers.flatMap(({ problem }) => problem ?? []);
  if (servers.length > 0 && problems.length === servers.length) {
    await mcpTools.close();
    throw new Error(problems.join(' '));
  }

  const endpoint = await openEndpoint(environment);
  let report: (event: ToolLoopEvent) => void = () => {};
  const provider = createKelivoResponsesProvider({
    baseURL: endpoint.baseURL,
    tools: localTools,
    mcpServers: mcpTools,
    toolLoop: hasLoop && { onEvent: event => report(event) },
  });

  async function* runTurn(question: string, abortSignal: AbortSignal) {
    const tools = hasLoop ? await provider.toolStubs() : undefined;
    const { fullStream } = streamText({
      model: provider(modelId),
      prompt: question,
      tools,
      // Without the loop, rounds would be the host's business.
      ...(!hasLoop && { stopWhen: stepCountIs(20) }),
      providerOptions: { openai: { reasoningSummary: 'auto' } },
      // Who watches a demo would rather read the reason at once.
      maxRetries: 0,
      abortSignal,
      // `ai` would print errors with their stacks; they come as parts too.
      onError: () => {},
    });
    yield* fullStream;
  }

  return {
    endpoint,
    inspection,
    localTools: hasLoop ? Object.keys(localTools) : [],
    ask: (question, options) =>
      collectTurn(
        onLoopEvent => {
          report = onLoopEvent;
          return runTurn(question, options.signal);
        },
        { hasLoop, knownWarnings: [...notes, ...problems], signal: options.signal },
      ),
    async close() {
      await Promise.all([provider.close(), endpoint.close()]);
    },
  };
}
