import { Experimental_Agent, stepCountIs } from 'ai';
import { ToolLoopAgent as ToolLoopAgentOf6 } from 'ai6';
import { ToolLoopAgent as ToolLoopAgentOf7 } from 'ai7';
import type { HostTools } from '../../src/mcp/index.js';

/** A call that the scripted model makes. */
export type ScriptedCall = readonly [toolName: string, input?: Record<string, unknown>];

export interface HostLoop {
  readonly major: 5 | 6 | 7;
  /** Runs the loop of a host: the calls of the script, one for each step, then a text. */
  run(tools: HostTools, calls: readonly ScriptedCall[], options?: RunOptions): Promise<HostRun>;
}

interface RunOptions {
  readonly abortSignal?: AbortSignal;
  readonly messages?: readonly unknown[];
  /** Further settings of the agent. */
  readonly settings?: Record<string, unknown>;
}

export interface HostRun {
  readonly text: string;
  /** All parts of all steps, as the host shows them. */
  readonly content: readonly Record<string, unknown>[];
  /** The messages for the next run. */
  readonly messages: readonly unknown[];
  /** The outputs in the last request to the model. */
  readonly outputs: readonly Record<string, unknown>[];
  /** The tools in the first request to the model. */
  readonly declared: readonly Record<string, unknown>[];
}

type Agent = new (settings: Record<string, unknown>) => {
  generate(options: Record<string, unknown>): Promise<{
    text: string;
    steps: { content: Record<string, unknown>[] }[];
    response: { messages: unknown[] };
    responseMessages?: unknown[];
  }>;
};

const agents = { 5: Experimental_Agent, 6: ToolLoopAgentOf6, 7: ToolLoopAgentOf7 } as unknown as Record<
  HostLoop['major'],
  Agent
>;

const runOf =
  (major: HostLoop['major']): HostLoop['run'] =>
  async (tools, calls, { abortSignal, messages = [], settings } = {}) => {
    const requests: Request[] = [];
    const model = createModel(major, calls, requests);
    const agent = new agents[major]({ model, tools, stopWhen: stepCountIs(10), ...settings });
    const prompt = messages.length > 0 ? messages : [{ role: 'user', content: 'Go.' }];
    const { text, steps, response, responseMessages } = await agent.generate({
      messages: prompt,
      abortSignal,
    });
    const last = requests.at(-1)?.prompt ?? [];
    return {
      text,
      content: steps.flatMap(({ content }) => content),
      messages: [...prompt, ...(responseMessages ?? response.messages)],
      outputs: last
        .filter(({ role }) => role === 'tool')
        .flatMap(({ content }) => content as { output: Record<string, unknown> }[])
        .flatMap(({ output }) => (output === undefined ? [] : [output])),
      declared: requests[0]?.tools ?? [],
    };
  };

export const hostLoops: readonly HostLoop[] = ([5, 6, 7] as const).map(major => ({
  major,
  run: runOf(major),
}));

interface Request {
  readonly prompt: { role: string; content: unknown }[];
  readonly tools?: Record<string, unknown>[];
}

/** A model of the version that the host knows best. */
function createModel(major: HostLoop['major'], calls: readonly ScriptedCall[], requests: Request[]) {
  const ended = (reason: string) => (major === 5 ? reason : { unified: reason, raw: reason });
  const usage =
    major === 5
      ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
      : { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  return {
    specificationVersion: `v${major - 3}`,
    provider: 'scripted',
    modelId: 'scripted-1',
    supportedUrls: {},
    async doGenerate(request: Request) {
      const call = calls[requests.push(request) - 1];
      if (call === undefined)
        return {
          content: [{ type: 'text', text: 'Done.' }],
          finishReason: ended('stop'),
          usage,
          warnings: [],
        };
      const [toolName, input = {}] = call;
      const toolCallId = `call_${requests.length}`;
      const content = [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }];
      return { content, finishReason: ended('tool-calls'), usage, warnings: [] };
    },
  };
}
