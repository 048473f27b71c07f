import { stepCountIs, streamText } from 'ai';
import { createKelivoResponsesProvider, type McpServers, type ToolLoopEvent } from 'kelivo-responses';
import { createMcpTools, type McpTools } from 'kelivo-responses/mcp';
import { collectTurn, type DemoEvent } from './turn-events.js';
import { localTools } from '../shared/demo-tools.js';
import { startResponsesEmulator } from 'kelivo-responses/testing';

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

/** Where the demo sends its requests. */
export interface Endpoint {
  readonly baseURL: string;
  /** The address without what could be a secret in it. */
  readonly address: string;
  readonly isEmulator: boolean;
  readonly hasKey: boolean;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const OPENAI = 'https://api.openai.com/v1';

/** Milliseconds before each event of the emulator: about as fast as a model writes. */
const LATENCY = 15;

/** The endpoint that the environment names, else the emulator, started for this demo. */
export async function openEndpoint({
  OPENAI_API_KEY: key,
  OPENAI_BASE_URL: url,
}: Environment): Promise<Endpoint> {
  if (key || url) {
    const baseURL = url || OPENAI;
    return {
      baseURL,
      address: withoutSecrets(baseURL),
      isEmulator: false,
      hasKey: Boolean(key),
      close: async () => {},
    };
  }
  const { baseURL, close } = await startResponsesEmulator({ latency: LATENCY });
  return { baseURL, address: baseURL, isEmulator: true, hasKey: false, close };
}

/** User names, passwords and queries (`?key=…`) are left out. What is no URL is the provider's to refuse. */
function withoutSecrets(baseURL: string): string {
  if (!URL.canParse(baseURL)) return '(no URL)';
  const { protocol, host, pathname } = new URL(baseURL);
  return `${protocol}//${host}${pathname}`;
}

/** How an MCP server answered when it was asked for its tools. */
export interface InspectedServer {
  readonly name: string;
  readonly toolCount: number;
  /** Why it has no tools to offer. */
  readonly problem?: string;
}

export interface Inspection {
  /** Those that are not disabled, in the order of the configuration. */
  readonly servers: readonly InspectedServer[];
  /** What servers that work do not offer after all, and why. */
  readonly notes: readonly string[];
}

/** Starts each server and counts its tools. */
export async function inspectServers(
  tools: McpTools,
  { signal }: { signal: AbortSignal },
): Promise<Inspection> {
  const { warnings } = await tools.listTools({ signal });
  const servers = tools
    .status()
    .filter(({ state }) => state !== 'disabled')
    .map(({ name, tools: { length }, error }) => ({ name, toolCount: length, problem: error?.message }));
  return { servers, notes: warnings.filter(text => !servers.some(({ problem }) => problem === text)) };
}
