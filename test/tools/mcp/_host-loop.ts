import { Experimental_Agent, stepCountIs } from 'ai';
import { ToolLoopAgent as ToolLoopAgentOf6 } from 'ai6';
import { ToolLoopAgent as ToolLoopAgentOf7 } from 'ai7';
import type { HostTools } from '../../../src/tools/mcp/index.js';

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
  /** Streams the responses. @default false */
  readonly streams?: boolean;
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

interface Result {
  readonly text: PromiseLike<string> | string;
  readonly steps: PromiseLike<Step[]> | Step[];
  readonly response: PromiseLike<Response> | Response;
  readonly responseMessages?: PromiseLike<unknown[]> | unknown[];
}

interface Step {
  readonly content: Record<string, unknown>[];
}

interface Response {
  readonly messages: unknown[];
}

type Agent = new (settings: Record<string, unknown>) => {
  generate(options: Record<string, unknown>): Promise<Result>;
  stream(options: Record<string, unknown>): PromiseLike<Result & { consumeStream(): PromiseLike<void> }>;
};

const agents = { 5: Experimental_Agent, 6: ToolLoopAgentOf6, 7: ToolLoopAgentOf7 } as unknown as Record<
  HostLoop['major'],
  Agent
>;

const runOf =
  (major: HostLoop['major']): HostLoop['run'] =>
  async (tools, calls, { abortSignal, messages = [], streams = false, settings } = {}) => {
    const requests: Request[] = [];
    const model = createModel(major, calls, requests);
    const agent = new agents[major]({ model, tools, stopWhen: stepCountIs(10), ...settings });
    const prompt = messages.length > 0 ? messages : [{ role: 'user', content: 'Go.' }];
    const options = { messages: prompt, abortSignal };
    const open = async () => {
      const streaming = await agent.stream(options);
      await streaming.consumeStream();
      return streaming;
    };
    const result = streams ? await open() : await agent.generate(options);
    const text = await result.text;
    const steps = await result.steps;
    const responseMessages = (await result.responseMessages) ?? (await result.response).messages;
    const last = requests.at(-1)?.prompt ?? [];
    return {
      text,
      content: steps.flatMap(({ content }) => content),
      messages: [...prompt, ...responseMessages],
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
  const respond = (request: Request) => {
    const call = calls[requests.push(request) - 1];
    const finishReason = ended(call === undefined ? 'stop' : 'tool-calls');
    if (call === undefined) return { content: [{ type: 'text', text: 'Done.' }], finishReason };
    const [toolName, input = {}] = call;
    const toolCallId = `call_${requests.length}`;
    return {
      content: [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }],
      finishReason,
    };
  };
  return {
    specificationVersion: `v${major - 3}`,
    provider: 'scripted',
    modelId: 'scripted-1',
    supportedUrls: {},
    doGenerate: async (request: Request) => ({ ...respond(request), usage, warnings: [] }),
    async doStream(request: Request) {
      const { content, finishReason } = respond(request);
      const parts = content.flatMap<object>(part =>
        'text' in part
          ? [
              { type: 'text-start', id: '1' },
              { type: 'text-delta', id: '1', delta: part.text },
              { type: 'text-end', id: '1' },
            ]
          : [part],
      );
      const finish = { type: 'finish', finishReason, usage };
      const stream = new ReadableStream({
        start(controller) {
          for (const part of [{ type: 'stream-start', warnings: [] }, ...parts, finish])
            controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  };
}
