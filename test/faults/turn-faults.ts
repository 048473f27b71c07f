import { tool } from 'ai';
import { z } from 'zod';
import type { KelivoResponsesProvider, McpServerConfig } from '../../src/index.js';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import type { ScriptedItem, ScriptedResponse } from '../../src/testing/index.js';
import { fixtureServer } from '../tools/mcp/_fixture-server.js';
import { startHttpServer } from '../tools/mcp/_http-server.js';
import type { ToolLoopEvent } from '../../src/tool-loop/turn/turn-reports.js';
import { gate } from '../tool-loop/_tools.js';

/** The provider of one turn, and how often its tools ran. */
export interface Scene {
  readonly settings: KelivoResponsesSettings;
  /** Returns the number of executions of all tools. */
  readonly runs: () => number | Promise<number>;
  /** Acts while the turn runs. */
  readonly act?: (turn: { provider: KelivoResponsesProvider; abort: () => void }) => Promise<void>;
}

/** A fault of a model, a host or a server that affects which calls run. */
export interface TurnFault {
  readonly fault: string;
  readonly scene: () => Promise<Scene>;
  readonly modelId?: string;
  readonly maxOutputTokens?: number;
  /** The model's responses. The last one is always the text "Done.". */
  readonly responses: readonly ScriptedResponse[];
  /** The end of the turn for the host: the finish reason, or `aborted` if the stream fails with the host's own abort. */
  readonly host: 'stop' | 'length' | 'error' | 'aborted';
  /** The message of the error that the host receives. */
  readonly error?: RegExp;
  /** A warning that the host receives. */
  readonly warning?: RegExp;
  /** The outputs that the model reads: those in its last request. */
  readonly model: readonly RegExp[];
  /** A tool that is offered in the last request. */
  readonly offers?: string;
  /** Executions of all tools. */
  readonly runs: number;
}

const save = (input: object = { text: 'a' }, callId = 'call_1'): ScriptedItem => ({
  call: 'save',
  callId,
  arguments: { ...input },
});

/** Creates a local tool `save` that counts its executions. */
async function localTool(toolLoop: KelivoResponsesSettings['toolLoop'] = {}): Promise<Scene> {
  let runs = 0;
  const inputSchema = z.object({ text: z.string().optional(), amount: z.number().optional() });
  const execute = async () => `saved ${++runs}`;
  return { settings: { tools: { save: tool({ inputSchema, execute }) }, toolLoop }, runs: () => runs };
}

/** Creates a server whose tool `write` runs and then fails. */
async function httpServer(failure: { status: number; body: string }): Promise<Scene> {
  const server = await startHttpServer({ writeFailure: failure });
  return {
    settings: { mcpServers: { server: { type: 'http', url: server.url } } },
    runs: () => server.requests.filter(({ action }) => action === 'write').length,
  };
}

/** Creates the servers `down` and `up`, which offer the same tools. `up` works and counts the runs of `write`. */
async function twoServers(down: McpServerConfig): Promise<Scene> {
  const { url, requests } = await startHttpServer();
  return {
    settings: { mcpServers: { down, up: { type: 'http', url } } },
    runs: () => requests.filter(({ action }) => action === 'write').length,
  };
}

/** Adds an approval that stays open, and acts as soon as it was requested. */
async function openApproval(act: Scene['act']): Promise<Scene> {
  const { opened, open } = gate();
  const scene = await localTool({
    approve: () => {
      open();
      return new Promise(() => {});
    },
  });
  return {
    ...scene,
    async act(turn) {
      await opened;
      await act?.(turn);
    },
  };
}

const nowhere: McpServerConfig = { type: 'http', url: 'http://127.0.0.1:9/mcp' };
const limit = { maxOutputTokens: 32, host: 'length', model: [], runs: 0, scene: localTool } as const;
const usage = { input_tokens: 10, output_tokens: 32, total_tokens: 42 };

/** Returns a response whose arguments end at the token limit. The server reports it as `completed`, as llama.cpp does. */
const cutSilently = (text: string): ScriptedResponse => ({
  output: [{ call: 'save', callId: 'call_1', arguments: text }],
  usage,
});

export const TURN_FAULTS: readonly TurnFault[] = [
  {
    fault: 'a call of a tool that does not exist',
    scene: localTool,
    responses: [[{ call: 'launch_rocket', callId: 'call_1' }]],
    host: 'stop',
    model: [/launch_rocket.*save/s],
    runs: 0,
  },
  {
    fault: 'a call of a tool that does not exist beside one that does',
    scene: localTool,
    responses: [[{ call: 'launch_rocket', callId: 'call_0' }, save()]],
    host: 'stop',
    model: [/launch_rocket.*save/s, /^saved 1$/],
    runs: 1,
  },
  {
    fault: 'a name with a prefix, other case and white space',
    scene: localTool,
    responses: [[{ call: ' functions.Save', callId: 'call_1', arguments: { text: 'a' } }]],
    host: 'stop',
    model: [/^saved 1$/],
    runs: 1,
  },
  {
    fault: 'nothing but calls of tools that do not exist',
    scene: localTool,
    responses: Array.from({ length: 3 }, (_, index) => [{ call: 'launch_rocket', callId: `call_${index}` }]),
    host: 'stop',
    model: [/launch_rocket/, /launch_rocket/, /launch_rocket/],
    runs: 0,
  },
  { fault: 'arguments cut within a number', responses: [cutSilently('{"amount": 9876')], ...limit },
  { fault: 'arguments cut within a text', responses: [cutSilently('{"text": "rm -rf /tm')], ...limit },
  { fault: 'arguments cut within a key', responses: [cutSilently('{"text": "a", "amo')], ...limit },
  { fault: 'arguments cut after a comma', responses: [cutSilently('{"text": "a",')], ...limit },
  {
    fault: 'arguments cut within a number, reported as incomplete',
    responses: [
      {
        output: [{ call: 'save', callId: 'call_1', arguments: '{"amount": 9876' }],
        incomplete: 'max_output_tokens',
      },
    ],
    ...limit,
  },
  {
    fault: 'a call in XML, cut between its parameters',
    ...limit,
    modelId: 'qwen3-coder-30b',
    responses: [
      { output: [{ text: '<tool_call>\n<function=save>\n<parameter=text>\na\n</parameter>\n' }], usage },
    ],
  },
  {
    fault: 'a call that arrives natively and again as text',
    scene: localTool,
    modelId: 'qwen3-32b',
    responses: [
      [save(), { text: '<tool_call>\n{"name": "save", "arguments": {"text": "a"}}\n</tool_call>' }],
    ],
    host: 'stop',
    model: [/^saved 1$/],
    runs: 1,
  },
  {
    fault: 'an approval that is refused',
    scene: () => localTool({ approve: () => ({ approved: false, reason: 'Not today.' }) }),
    responses: [[save()]],
    host: 'stop',
    model: [/not approved.*Not today/],
    runs: 0,
  },
  {
    fault: 'an approval that fails',
    scene: () =>
      localTool({
        approve: () => {
          throw new Error('The dialog is gone.');
        },
      }),
    responses: [[save()]],
    host: 'stop',
    model: [/not approved/],
    runs: 0,
  },
  {
    fault: 'an approval that is open when the host aborts',
    scene: () => openApproval(async ({ abort }) => abort()),
    responses: [[save()]],
    host: 'aborted',
    model: [],
    runs: 0,
  },
  {
    fault: 'an approval that is open when the provider is closed',
    scene: () => openApproval(({ provider }) => provider.close()),
    responses: [[save()]],
    host: 'error',
    error: /ended by `close\(\)`/,
    model: [],
    runs: 0,
  },
  ...[502, 503, 504].map((status): TurnFault => ({
    fault: `status ${status} of an MCP server after the tool has run`,
    scene: () => httpServer({ status, body: 'Bad gateway' }),
    responses: [[{ call: 'write', callId: 'call_1' }]],
    host: 'stop',
    model: [new RegExp(`HTTP ${status}.*may or may not`)],
    runs: 1,
  })),
  {
    fault: 'status 400 of an MCP server that mentions a session',
    scene: () => httpServer({ status: 400, body: 'The yoga session is full.' }),
    responses: [[{ call: 'write', callId: 'call_1' }]],
    host: 'stop',
    model: [/HTTP 400/],
    runs: 1,
  },
  {
    fault: 'a mute MCP server beside one that works',
    scene: async () => twoServers({ ...(await fixtureServer('mute')).config, startupTimeout: 500 }),
    responses: [[{ call: 'write', callId: 'call_1' }]],
    host: 'stop',
    warning: /down/,
    model: [/^written$/],
    runs: 1,
  },
  {
    fault: 'a call of the tool that a server that is down shares with another server',
    scene: () => twoServers(nowhere),
    responses: [[{ call: 'down_write', callId: 'call_1' }]],
    host: 'stop',
    warning: /"down"/,
    model: [/down_write/],
    runs: 0,
  },
  {
    fault: 'a call of a name that two servers offer',
    async scene() {
      const other = await startHttpServer();
      const { settings, runs } = await twoServers({ type: 'http', url: other.url });
      const ran = async () =>
        (await runs()) + other.requests.filter(({ action }) => action === 'write').length;
      return { settings, runs: ran };
    },
    responses: [[{ call: 'write', callId: 'call_1' }]],
    host: 'stop',
    model: [/down_write.*up_write/s],
    runs: 0,
  },
  {
    fault: 'a tool list that changes during the turn',
    async scene() {
      const { config } = await fixtureServer();
      let runs = 0;
      const onEvent = ({ type }: ToolLoopEvent) => void (type === 'tool-start' && runs++);
      return { settings: { mcpServers: { server: config }, toolLoop: { onEvent } }, runs: () => runs };
    },
    responses: [[{ call: 'add-tool', callId: 'call_1' }], [{ call: 'echo', callId: 'call_2' }]],
    host: 'stop',
    model: [/^added$/, /^echo/],
    offers: 'added',
    runs: 2,
  },
];
