import type { AnyModel, Version } from './_majors.js';
import type { Json } from './_wires.js';

export interface ScriptedCall {
  readonly id: string;
  readonly tool: string;
  /** The arguments as the model wrote them, which may be cut. */
  readonly input: string;
}

export type Reason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other' | 'interrupted';

/** Tokens of one round. */
export interface Tokens {
  readonly input?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly output?: number;
  readonly reasoning?: number;
}

/** One response of a scripted model, in the words of no version. */
export interface ScriptedRound {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** @default `tool-calls` with calls, `stop` without */
  readonly finish?: Reason;
  /** The provider's own finish reason. Version 2 has none. */
  readonly raw?: string;
  readonly tokens?: Tokens;
  /** Parts in the words of the model's version, which are also the content of a generated response. */
  readonly parts?: readonly Json[];
  /** Fields of a generated result and of the result of a stream. */
  readonly result?: Json;
}

/** Describes the tokens in the words of a version. */
export function toUsage(version: Version, tokens: Tokens | undefined): Json {
  const { input, cacheRead, cacheWrite, output, reasoning } = tokens ?? {};
  const less = (total?: number, ...parts: (number | undefined)[]): number | undefined =>
    total === undefined || parts.every(part => part === undefined)
      ? undefined
      : parts.reduce<number>((rest, part) => rest - (part ?? 0), total);
  if (version === 'v2') {
    const totalTokens = input === undefined || output === undefined ? undefined : input + output;
    return {
      ...{ inputTokens: input, outputTokens: output, totalTokens },
      ...{ reasoningTokens: reasoning, cachedInputTokens: cacheRead },
    };
  }
  return {
    inputTokens: { total: input, noCache: less(input, cacheRead, cacheWrite), cacheRead, cacheWrite },
    outputTokens: { total: output, text: less(output, reasoning), reasoning },
    ...(tokens !== undefined && { raw: { in: input ?? null, out: output ?? null } }),
  };
}

export const toFinishReason = (version: Version, reason: Reason, raw = reason as string): unknown =>
  version === 'v2' ? (reason === 'interrupted' ? 'unknown' : reason) : { unified: reason, raw };

/** A model of any version, with private fields as models of other packages have. */
export class ScriptedModel implements AnyModel {
  readonly specificationVersion: string;
  readonly #version: Version;
  readonly #rounds: readonly ScriptedRound[];
  readonly #requests: Json[] = [];

  /** @param claimed The version that the model claims to have. */
  constructor(version: Version, rounds: readonly ScriptedRound[], claimed: string = version) {
    this.#version = version;
    this.#rounds = rounds;
    this.specificationVersion = claimed;
  }

  get provider(): string {
    return 'scripted.chat';
  }

  get modelId(): string {
    return 'scripted-1';
  }

  get supportedUrls(): Promise<Record<string, RegExp[]>> {
    return Promise.resolve({ 'image/*': [/^https:/] });
  }

  /** The options of the calls so far. */
  get requests(): readonly Json[] {
    return this.#requests;
  }

  #next(options: Json): ScriptedRound {
    const round = this.#rounds[this.#requests.push(options) - 1];
    if (round === undefined) throw new Error(`There is no round ${this.#requests.length} in the script.`);
    return round;
  }

  #endOf({ finish, raw, calls = [], tokens }: ScriptedRound): Json {
    return {
      finishReason: toFinishReason(this.#version, finish ?? (calls.length > 0 ? 'tool-calls' : 'stop'), raw),
      usage: toUsage(this.#version, tokens),
    };
  }

  async doGenerate(options: Json): Promise<object> {
    const round = this.#next(options);
    const { text, calls = [], parts = [], result } = round;
    return {
      content: [...parts, ...(text === undefined ? [] : [{ type: 'text', text }]), ...calls.map(toCallPart)],
      ...{ ...this.#endOf(round), warnings: [] },
      request: { body: { round: this.#requests.length } },
      response: { id: `response-${this.#requests.length}`, headers: { 'x-round': '1' } },
      ...result,
    };
  }

  async doStream(options: Json): Promise<{ stream: ReadableStream<unknown> }> {
    const round = this.#next(options);
    const { text, calls = [], parts = [], result } = round;
    const all = [
      { type: 'stream-start', warnings: [] },
      ...parts,
      ...(text === undefined ? [] : toTextParts(text)),
      ...calls.flatMap(call => [
        { type: 'tool-input-start', id: call.id, toolName: call.tool },
        { type: 'tool-input-delta', id: call.id, delta: call.input },
        { type: 'tool-input-end', id: call.id },
        toCallPart(call),
      ]),
      { type: 'finish', ...this.#endOf(round) },
    ];
    const stream = new ReadableStream<unknown>({
      start(controller) {
        for (const part of all) controller.enqueue(part);
        controller.close();
      },
    });
    return {
      stream,
      ...{ request: { body: { round: this.#requests.length } }, response: { headers: { 'x-round': '1' } } },
      ...result,
    };
  }
}

const toCallPart = ({ id, tool, input }: ScriptedCall): Json => ({
  ...{ type: 'tool-call', toolCallId: id, toolName: tool, input },
});

const toTextParts = (text: string): Json[] => [
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: text },
  { type: 'text-end', id: '0' },
];

/** Collects the parts of a stream. */
export async function partsOf(model: AnyModel, options: object): Promise<Json[]> {
  const { stream } = await model.doStream(options as never);
  const parts: Json[] = [];
  for await (const part of stream) parts.push(part as Json);
  return parts;
}
