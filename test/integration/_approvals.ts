import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ModelMessage } from 'ai';
import { afterAll, onTestFinished } from 'vitest';
import { createMcpTools, type McpTools } from '../../src/tools/mcp/index.js';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import type { Host, Mode } from '../host-matrix/_host.js';
import { startScene } from '../host-matrix/_scene.js';
import { recordingServer } from './_recording-server.js';

export interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Returns the parts of messages. */
export const partsOf = (messages: readonly ModelMessage[]): Part[] =>
  messages.flatMap(({ content }) => (typeof content === 'string' ? [] : (content as unknown as Part[])));

export interface Answer {
  readonly approved: boolean;
  readonly reason?: string;
}

/** Returns messages with a response to each approval request in the last ones. Undefined leaves one unanswered. */
export function withAnswers(
  messages: readonly ModelMessage[],
  ...answers: readonly (Answer | boolean | undefined)[]
): ModelMessage[] {
  const requests = partsOf(messages).filter(({ type }) => type === 'tool-approval-request');
  const open = requests.slice(requests.length - answers.length);
  const content = answers.flatMap((answer, index) => {
    if (answer === undefined) return [];
    const given = typeof answer === 'boolean' ? { approved: answer } : answer;
    return [
      {
        type: 'tool-approval-response',
        approvalId: open[index]?.approvalId,
        providerExecuted: true,
        ...given,
      },
    ];
  });
  return [...messages, { role: 'tool', content } as unknown as ModelMessage];
}

/** A copy as a client sends it. */
export const overTheWire = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/**
 * Returns a function that starts a host with a provider whose MCP server records its calls in a file. The tests of a file
 * share the server, because starting it is slow. Call it at the top of the file.
 */
export function shareRecordingServer() {
  const folder = mkdtempSync(path.join(tmpdir(), 'kelivo-recording-'));
  const effectsFile = path.join(folder, 'effects.txt');
  const mcpServers = createMcpTools(recordingServer(effectsFile));
  afterAll(async () => {
    await mcpServers.close();
    rmSync(folder, { recursive: true });
  });
  // A provider closes its source, which would end the server after each test.
  const kept: McpTools = { ...mcpServers, close: async () => {} };
  return (host: Host, mode: Mode, settings?: KelivoResponsesSettings) =>
    startApprovals({ mcpServers: kept, effectsFile }, host, mode, settings);
}

async function startApprovals(
  { mcpServers, effectsFile }: { mcpServers: McpTools; effectsFile: string },
  host: Host,
  mode: Mode,
  { toolLoop, ...settings }: KelivoResponsesSettings = {},
) {
  const readEffects = (): string => (existsSync(effectsFile) ? readFileSync(effectsFile, 'utf8') : '');
  const { length: former } = readEffects();
  const scene = await startScene(host, {
    mode,
    mcp: {
      name: 'none',
      listTools: async () => ({ tools: [], warnings: [] }),
      callTool: async () => ({ type: 'text', value: '' }),
      close: async () => {},
    },
  });
  const provider = scene.createProvider({
    mcpServers,
    toolLoop: { approve: 'host', retry: { initialDelay: 1 }, ...toolLoop },
    ...settings,
  });
  onTestFinished(() => provider.close());
  const { emulator } = scene;
  return {
    ...scene,
    provider,
    effectsFile,
    /** The calls of this test that ran, such as `a 1`. */
    effects: (): string[] =>
      readEffects()
        .slice(former)
        .split('\n')
        .filter(line => line !== '')
        .map(line => line.replace('record ', '')),
    /** Runs one step with messages that were sent over the wire. */
    async turn(messages: readonly ModelMessage[], options: object = {}) {
      const result = await scene.run({
        model: provider('gpt-5'),
        messages: overTheWire([...messages]),
        maxRetries: 0,
        ...options,
      });
      return { ...result, history: [...messages, ...result.messages] };
    },
    /** Returns the outputs that the model received in its last request. Errors are those of `{"error": …}`. */
    outputs: (): unknown[] =>
      scene
        .inputOf(emulator.requests.length - 1)
        .flatMap(({ type, output }) =>
          type === 'function_call_output' ? [toErrorText(output) ?? output] : [],
        ),
  };
}

/** A call of the tool `record`, for the emulator. */
export const record = (key: string, step = 1) => ({ call: 'record', arguments: { key, step } });

export const question: ModelMessage = { role: 'user', content: 'Record it.' };
/** Runs a turn in another process. */
export const script = new URL('_approval-turn.ts', import.meta.url);

const toErrorText = (output: unknown): unknown =>
  typeof output === 'string' && output.startsWith('{"error":') ? JSON.parse(output).error : undefined;
