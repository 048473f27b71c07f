import { jsonSchema, type ModelMessage, streamText, tool, type ToolSet } from 'ai';
import { createKelivoResponsesProvider, type McpServers, type ToolLoopEvent } from 'kelivo-responses';
import { createMcpTools, type McpTools } from 'kelivo-responses/mcp';
import { collectTurn, type DemoEvent } from './turn-events.js';
import { localTools } from '../shared/demo-tools.js';
import { startResponsesEmulator } from 'kelivo-responses/testing';

export interface DemoOptions {
  readonly modelId: string;
  readonly mcpServers: McpServers;
  /** Runs tools in the provider. If false, the model has the same tools, but nothing runs their calls. */
  readonly hasLoop: boolean;
  /** Base URL of the endpoint. @default `OPENAI_BASE_URL` */
  readonly baseURL?: string | undefined;
  /** Environment with `OPENAI_API_KEY` and `OPENAI_BASE_URL`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts the setup. */
  readonly signal: AbortSignal;
}

/** A configured demo: endpoint, provider and tools. It prints nothing. */
export interface Demo {
  readonly endpoint: Endpoint;
  /** The MCP servers, including failed ones. */
  readonly inspection: Inspection;
  /** The names of the local tools. */
  readonly localTools: readonly string[];
  /** Asks a question that continues the conversation of the finished turns. Only one can run at a time, because tool loop events go to the last one. */
  ask(question: string, options: { signal: AbortSignal }): ReadableStream<DemoEvent>;
  /** Closes servers, connections and the emulator. */
  close(): Promise<void>;
}

/**
 * Opens the demo. A server that fails to start is skipped; `inspection` contains the reason.
 *
 * @throws Error if there are servers and all of them fail to start.
 */
export async function openDemo({
  modelId,
  mcpServers,
  hasLoop,
  baseURL,
  environment,
  signal,
}: DemoOptions): Promise<Demo> {
  // Warnings are events of the demo, so `ai` does not print them.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const mcpTools = createMcpTools(mcpServers);
  const inspection = await inspectServers(mcpTools, { signal });
  const { servers, notes } = inspection;
  const problems = servers.flatMap(({ problem }) => problem ?? []);
  if (servers.length > 0 && problems.length === servers.length) {
    await mcpTools.close();
    throw new Error(problems.join(' '));
  }

  const endpoint = await openEndpoint({
    ...environment,
    ...(baseURL !== undefined && { OPENAI_BASE_URL: baseURL }),
  });
  let report: (event: ToolLoopEvent) => void = () => {};
  const provider = createKelivoResponsesProvider({
    baseURL: endpoint.baseURL,
    tools: localTools,
    mcpServers: mcpTools,
    toolLoop: hasLoop && { onEvent: event => report(event) },
  });

  const history: ModelMessage[] = [];

  async function* runTurn(question: string, abortSignal: AbortSignal) {
    const asked: ModelMessage = { role: 'user', content: question };
    const { fullStream, response } = streamText({
      model: provider(modelId),
      messages: [...history, asked],
      tools: hasLoop ? await provider.tools() : withoutExecution(await mcpTools.listTools({ signal })),
      providerOptions: { openai: { reasoningSummary: 'auto' } },
      // Errors are shown immediately instead of after retries.
      maxRetries: 0,
      abortSignal,
      // `ai` would print errors with their stacks. The stream contains them as parts.
      onError: () => {},
    });
    // Rejects if the turn fails, which the stream reports.
    const messages = Promise.resolve(response).then(
      complete => complete.messages,
      () => undefined,
    );
    let hasFailed = false;
    for await (const part of fullStream) {
      if (part.type === 'error') hasFailed = true;
      yield part;
    }
    const answered = await messages;
    if (!hasFailed && answered !== undefined) history.push(asked, ...answered);
  }

  return {
    endpoint,
    inspection,
    localTools: Object.keys(localTools),
    ask: (question, options) =>
      collectTurn(
        onLoopEvent => {
          report = onLoopEvent;
          return runTurn(question, options.signal);
        },
        { hasLoop, knownWarnings: [...notes, ...problems], signal: options.signal },
      ),
    async close() {
      await Promise.all([provider.close(), mcpTools.close(), endpoint.close()]);
    },
  };
}

/** Returns the tools as the model sees them, without the functions that run them. */
function withoutExecution({ tools }: Awaited<ReturnType<McpTools['listTools']>>): ToolSet {
  const { execute: _execute, readOnly: _readOnly, ...wordCount } = localTools['word-count'];
  const remote = tools.map(({ name, description, inputSchema }) => [
    name,
    tool({ description, inputSchema: jsonSchema(inputSchema) }),
  ]);
  return { ...(Object.fromEntries(remote) as ToolSet), 'word-count': wordCount };
}

/** The endpoint of the demo. */
export interface Endpoint {
  readonly baseURL: string;
  /** The base URL without secrets. */
  readonly address: string;
  readonly isEmulator: boolean;
  readonly hasKey: boolean;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const OPENAI = 'https://api.openai.com/v1';

/** Milliseconds before each event of the emulator, similar to the speed of a model. */
const LATENCY = 15;

/** Opens the endpoint of the environment, or starts an emulator. */
async function openEndpoint({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url }: Environment): Promise<Endpoint> {
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
  const { baseURL, close } = await startResponsesEmulator({ latency: LATENCY, allowedOrigins: [] });
  return { baseURL, address: baseURL, isEmulator: true, hasKey: false, close };
}

/** Removes user name, password and query (`?key=…`). The provider rejects invalid URLs. */
function withoutSecrets(baseURL: string): string {
  if (!URL.canParse(baseURL)) return '(invalid URL)';
  const { protocol, host, pathname } = new URL(baseURL);
  return `${protocol}//${host}${pathname}`;
}

/** Result of listing the tools of an MCP server. */
export interface InspectedServer {
  readonly name: string;
  readonly toolCount: number;
  /** Reason why the server has no tools. */
  readonly problem?: string;
}

export interface Inspection {
  /** Enabled servers, in the order of the configuration. */
  readonly servers: readonly InspectedServer[];
  /** Warnings about tools that working servers do not provide. */
  readonly notes: readonly string[];
}

/** Starts each server and counts its tools. */
async function inspectServers(tools: McpTools, { signal }: { signal: AbortSignal }): Promise<Inspection> {
  const { warnings } = await tools.listTools({ signal });
  const servers = tools
    .status()
    .filter(({ state }) => state !== 'disabled')
    .map(({ name, tools: { length }, error }) => ({ name, toolCount: length, problem: error?.message }));
  return { servers, notes: warnings.filter(text => !servers.some(({ problem }) => problem === text)) };
}
