import {
  createOpenResponses,
  type Experimental_OpenResponsesExtension as RivalExtension,
} from '@ai-sdk/open-responses';
import type { LanguageModel, ToolSet } from 'ai';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { createKelivoResponsesProvider as createV3 } from '../../src/v3.js';
import { createKelivoResponsesProvider as createV4 } from '../../src/v4.js';
import { hosts } from '../host-matrix/_host.js';
import { serve } from '../_server.js';
import { toSse, type WireEvent } from '../_sse.js';
import { serveWebSocket } from '../_websocket-server.js';
import { type ItemScript, toResponse, toStream } from '../responses/stream/_fixtures/wire-events.js';

export type { RivalExtension };

export type Item = Readonly<Record<string, unknown>>;

/** The answer of a server: output items, or the events and the body that it sends. */
export type Answer =
  | readonly ItemScript[]
  | { readonly status?: number; readonly events?: readonly WireEvent[]; readonly json?: unknown };

export interface RunOptions {
  readonly extensions?: readonly RivalExtension[];
  readonly transport?: 'websocket';
}

/** The result of a call, as a host reads it. */
export interface Outcome {
  readonly text: string;
  readonly reasoning: string;
  readonly content: readonly Item[];
  /** The message that a host keeps. */
  readonly assistant: object;
  readonly types: readonly string[];
  readonly finishReason: unknown;
  /** Input tokens. */
  readonly usage: unknown;
  /** Number of errors. */
  readonly errors: number;
  readonly error: unknown;
}

export interface Session {
  /** Calls the model. `own` are options of the provider. */
  ask(options?: { own?: Record<string, unknown>; [option: string]: unknown }): Promise<Outcome>;
  /** Calls `generateText` of a major of `ai`. Returns the text. */
  call(major: 5 | 6 | 7, tools: ToolSet): Promise<string>;
  bodies(): readonly (Item & { input: Item[]; tools?: Item[] })[];
  /** Number of frames that a WebSocket received. */
  frames(): number;
}

/** Starts a server that sends one answer after the other, the last one again and again, and a provider. */
export type Run = (answers: readonly Answer[], options?: RunOptions) => Promise<Session>;

export const user = { role: 'user', content: [{ type: 'text', text: 'Hi.' }] };

interface Model {
  doStream(options: never): PromiseLike<{ stream: ReadableStream<unknown> }>;
  doGenerate(
    options: never,
  ): PromiseLike<{ content: readonly unknown[]; finishReason: unknown; usage: unknown }>;
}

/** A provider of Open Responses. */
export interface ComparedProvider {
  readonly name: string;
  create(baseURL: string, options: RunOptions, major: 5 | 6 | 7): Model;
}

const creators = { 5: createKelivoResponsesProvider, 6: createV3, 7: createV4 } as const;

export const OPEN_PROVIDERS: readonly ComparedProvider[] = [
  {
    name: 'kelivo-responses',
    create: (baseURL, { extensions, transport }, major) =>
      creators[major]({
        api: 'open-responses',
        baseURL,
        ...(extensions && { extensions: [...extensions] }),
        ...(transport && { transport }),
      })('acme-1') as Model,
  },
  {
    name: '`@ai-sdk/open-responses` 2',
    create: (baseURL, { extensions, transport }) =>
      createOpenResponses({
        name: 'acme',
        url: `${baseURL.replace(/\/v1$/, '')}/v1/responses`,
        ...(extensions && { experimental_extensions: extensions }),
        ...(transport && { transport }),
      } as Parameters<typeof createOpenResponses>[0])('acme-1') as unknown as Model,
  },
];

export const createRun =
  (provider: ComparedProvider, mode: 'stream' | 'generate'): Run =>
  async (answers, options = {}) => {
    let count = 0;
    const server =
      options.transport === undefined
        ? await serve((response, { body }) => {
            const answer = answers[Math.min(++count, answers.length) - 1] ?? [];
            const isScript = Array.isArray(answer);
            const {
              status = 200,
              events = undefined,
              json = undefined,
            } = isScript
              ? { events: toStream(answer), json: toResponse(answer) }
              : (answer as Exclude<Answer, readonly ItemScript[]>);
            const isStream = body.stream === true && events !== undefined;
            response.writeHead(status, {
              'content-type': isStream ? 'text/event-stream' : 'application/json',
            });
            response.end(isStream ? toSse(events) : JSON.stringify(json));
          })
        : undefined;
    const socket = server === undefined ? await serveWebSocket({}) : undefined;
    const url = server?.url ?? socket?.baseURL ?? '';
    return {
      bodies: () => (server?.requests ?? []).map(({ body }) => body as Item & { input: Item[] }),
      frames: () => socket?.frames.length ?? 0,
      async ask({ own, ...rest } = {}) {
        const call = {
          prompt: [user],
          ...(own && { providerOptions: { acme: own, openai: own, kelivo: pick(own, 'background') } }),
          ...rest,
        } as never;
        const model = provider.create(url, options, 7);
        try {
          if (mode === 'stream') return collect(await readAll((await model.doStream(call)).stream));
          const { content, finishReason, usage } = await model.doGenerate(call);
          return collect([...content, { type: 'finish', finishReason, usage }]);
        } catch (error) {
          return { ...collect([]), error };
        }
      },
      async call(major, tools) {
        const sdk = hosts.find(host => host.major === major)?.sdk;
        const model = provider.create(url, options, major) as unknown as LanguageModel;
        const stopWhen = sdk?.stepCountIs(2);
        const result = await sdk?.generateText({ model, prompt: 'Add.', tools, stopWhen, maxRetries: 0 });
        return result?.text ?? '';
      },
    };
  };

const pick = (options: Record<string, unknown>, name: string): object =>
  Object.hasOwn(options, name) ? { [name]: options[name] } : {};

async function readAll(stream: ReadableStream<unknown>): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of stream as unknown as AsyncIterable<unknown>) parts.push(part);
  return parts;
}

/** Collects the parts of a stream or of a result as a host does. */
function collect(parts: readonly unknown[]): Outcome {
  const content: (Record<string, unknown> & { type: string })[] = [];
  const open = new Map<unknown, Record<string, unknown>>();
  const all = parts as readonly (Record<string, unknown> & { type: string; delta?: unknown; id?: unknown })[];
  for (const part of all) {
    const [, kind = '', step] = /^(text|reasoning)-(start|delta|end)$/.exec(part.type) ?? [];
    if (step === 'start') {
      const block = { type: kind, text: '', providerMetadata: part.providerMetadata };
      open.set(part.id, block);
      content.push(block);
    } else if (step !== undefined) {
      const block = open.get(part.id);
      if (block === undefined) continue;
      block.text = `${String(block.text)}${String(part.delta ?? '')}`;
      block.providerMetadata = part.providerMetadata ?? block.providerMetadata;
    } else content.push(part);
  }
  const textOf = (type: string) =>
    content.flatMap(part => (part.type === type ? [String(part.text)] : [])).join('');
  const finish = content.find(({ type }) => type === 'finish');
  return {
    text: textOf('text'),
    reasoning: textOf('reasoning'),
    content,
    assistant: { role: 'assistant', content: content.flatMap(toHistoryPart) },
    types: all.map(({ type }) => type),
    finishReason: (finish?.finishReason as { unified?: unknown } | undefined)?.unified,
    usage: (finish?.usage as { inputTokens?: { total?: unknown } } | undefined)?.inputTokens?.total,
    errors: content.filter(({ type }) => type === 'error').length,
    error: content.find(({ type }) => type === 'error')?.error,
  };
}

function toHistoryPart(part: Record<string, unknown> & { type: string }): object[] {
  const { providerMetadata: providerOptions, input, result, ...rest } = part;
  const shared = { ...rest, ...(providerOptions !== undefined && { providerOptions }) };
  if (['text', 'reasoning', 'custom'].includes(part.type)) return [shared];
  if (part.type === 'tool-call') return [{ ...shared, input: JSON.parse(String(input)) as unknown }];
  if (part.type === 'tool-result') return [{ ...shared, output: { type: 'json', value: result } }];
  return [];
}
