import type { Compatibility, createKelivoResponsesProvider } from 'kelivo-responses';
import {
  isPlainObject,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
  tryParseJson,
} from '../../core/shared/json.js';

type Provider = ReturnType<typeof createKelivoResponsesProvider>;
type Model = ReturnType<Provider['responses']>;
type Options = Parameters<Model['doGenerate']>[0];
type Result = Awaited<ReturnType<Model['doGenerate']>>;
type Prompt = Options['prompt'];
type Tool = NonNullable<Options['tools']>[number];

export interface ProbeVerdict {
  readonly result: 'yes' | 'no' | 'unclear';
  readonly note?: string;
  /** The settings that the server needs. */
  readonly compatibility?: Compatibility;
}

/** The server under test. */
export interface Server {
  /** Creates a provider. `rejected` returns the number of its requests that failed. */
  provider(compatibility: Compatibility): { readonly provider: Provider; readonly rejected: () => number };
  /** Sends a request without the provider. */
  send(
    path: string,
    init: { readonly body?: PlainObject; readonly signal: AbortSignal },
  ): Promise<{ status: number; body: unknown }>;
  /** Requests a WebSocket and returns the status. */
  upgrade(signal: AbortSignal): Promise<number>;
}

export interface Probe {
  readonly model: string;
  /** Ends the scenario. */
  readonly signal: AbortSignal;
  readonly server: Server;
  /** Runs requests with each of the settings until the server accepts them at once and the result is good. */
  attempt<Value>(
    candidates: readonly Compatibility[],
    run: (model: Model) => PromiseLike<Value>,
    isGood?: (value: Value) => boolean,
  ): Promise<{ value: Value; added: Compatibility }>;
}

const user = (text: string): Prompt[number] => ({ role: 'user', content: [{ type: 'text', text }] });

const toolFor = (name: string, strict = false): Tool => ({
  type: 'function',
  name,
  description: `Returns the ${name.replace('get_', '')} of a city.`,
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    ...(strict && { additionalProperties: false }),
  },
});
const weather = toolFor('get_weather');

const textOf = (result: Result): string =>
  result.content.map(part => (part.type === 'text' ? part.text : '')).join('');

const callsOf = (result: Result) => result.content.flatMap(part => (part.type === 'tool-call' ? [part] : []));

const warningsOf = (result: Result): string =>
  result.warnings.map(warning => ('message' in warning ? warning.message : '')).join(' ');

const losesReasoning = (result: Result): boolean =>
  /Skipping reasoning parts|reasoning items of the history/.test(warningsOf(result));

/** Without a summary, most models return no reasoning that can be replayed. Other models get no such settings. */
const REASONING = { openai: { reasoningEffort: 'low', reasoningSummary: 'auto' } };

/** Returns the answer of the model as a message of the history. */
const toMessage = (result: Result) => ({
  role: 'assistant' as const,
  content: result.content.flatMap((part): Extract<Prompt[number], { role: 'assistant' }>['content'] => {
    const providerOptions = 'providerMetadata' in part ? part.providerMetadata : undefined;
    if (part.type === 'tool-call')
      return [{ ...part, input: tryParseJson(part.input) ?? {}, providerOptions }];
    const isText = part.type === 'text' || part.type === 'reasoning';
    return isText ? [{ type: part.type, text: part.text, providerOptions }] : [];
  }),
});

/** A red square of 16 by 16 pixels. */
const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==';

/** Complete items, for servers that validate replayed items. */
const COMPLETE: Compatibility = { itemIds: 'required', messageType: true, status: true, annotations: true };
const STRINGS: Compatibility = { toolOutput: 'string', toolImages: 'user-message' };

const ENCRYPTED = 'include.reasoning.encrypted_content';

const CANDIDATES: readonly Compatibility[] = [
  {},
  { reasoning: false },
  { reasoning: 'text' },
  { status: true },
  COMPLETE,
  { ...COMPLETE, reasoning: false },
  { ...COMPLETE, reasoning: 'text' },
];

/** The scenarios by name, in their order: the settings that one needs apply to the next. */
export const SCENARIOS: Readonly<Record<string, (probe: Probe) => Promise<ProbeVerdict>>> = {
  async text(probe) {
    const { value, added } = await probe.attempt(
      [
        {},
        { messageType: false },
        COMPLETE,
        { without: [ENCRYPTED] },
        { without: ['store'] },
        { without: ['store', ENCRYPTED] },
      ],
      model => model.doGenerate({ prompt: [user('Say hello.')], abortSignal: probe.signal }),
    );
    const isEmpty = textOf(value).trim() === '';
    const refusesStore = added.without?.includes('store') === true;
    const note = isEmpty ? 'no text' : refusesStore ? 'the server refuses `store`' : '';
    return { result: isEmpty ? 'unclear' : 'yes', note, compatibility: added };
  },

  async stream(probe) {
    const { value } = await probe.attempt([{}], async model => {
      const { stream } = await model.doStream({ prompt: [user('Say hello.')], abortSignal: probe.signal });
      const types: string[] = [];
      for await (const part of stream) {
        if (part.type === 'error') throw part.error;
        types.push(part.type);
      }
      return types;
    });
    const count = value.filter(type => type === 'text-delta').length;
    if (!value.includes('finish')) return { result: 'no', note: 'the stream has no end' };
    return { result: count > 0 ? 'yes' : 'unclear', note: count === 1 ? 'the text comes at once' : '' };
  },

  async developer(probe) {
    const rules =
      'Answer in plain sentences, without lists and without headings, in the language of the user.';
    const tokens = async (model: Model, mode?: 'system' | 'developer') => {
      const { usage } = await model.doGenerate({
        prompt: [...(mode ? [{ role: 'system' as const, content: rules }] : []), user('Say hello.')],
        ...(mode && { providerOptions: { openai: { systemMessageMode: mode } } }),
        abortSignal: probe.signal,
      });
      return usage.inputTokens ?? 0;
    };
    const { value, added } = await probe.attempt([{}, { developerRole: false }], async model => ({
      none: await tokens(model),
      developer: await tokens(model, 'developer'),
      system: await tokens(model, 'system'),
    }));
    if (added.developerRole === false) return { result: 'no', compatibility: added };
    const { none, developer, system } = value;
    if (system > none && developer <= none)
      return { result: 'no', note: 'the message is ignored', compatibility: { developerRole: false } };
    return { result: 'yes' };
  },

  async tools(probe) {
    const prompt = [user('Call get_weather for Oslo.')];
    const options = { tools: [weather], providerOptions: REASONING, abortSignal: probe.signal };
    const { value, added } = await probe.attempt(
      CANDIDATES,
      async model => {
        const first = await model.doGenerate({ prompt, ...options });
        const outputs = callsOf(first).map(call => ({
          type: 'tool-result' as const,
          toolCallId: call.toolCallId,
          toolName: call.toolName,
          output: { type: 'text' as const, value: 'snow' },
        }));
        if (outputs.length === 0) return { first };
        const next: Prompt = [...prompt, toMessage(first), { role: 'tool', content: outputs }];
        return { first, second: await model.doGenerate({ prompt: next, ...options }) };
      },
      ({ second }) => second === undefined || !losesReasoning(second),
    );
    if (value.second === undefined) return { result: 'unclear', note: 'the model calls no tool' };
    return {
      result: 'yes',
      note: losesReasoning(value.second) ? 'reasoning is not replayed' : '',
      compatibility: added,
    };
  },

  async parallel(probe) {
    const { value } = await probe.attempt([{}], model =>
      model.doGenerate({
        prompt: [user('Call get_weather and get_time for Oslo, both at once.')],
        tools: [weather, toolFor('get_time')],
        abortSignal: probe.signal,
      }),
    );
    const count = callsOf(value).length;
    return count > 1 ? { result: 'yes' } : { result: 'unclear', note: `${count} call at once` };
  },

  async strict(probe) {
    const schema = toolFor('city', true);
    const { value, added } = await probe.attempt([{}, { additionalProperties: false }], model =>
      model.doGenerate({
        prompt: [user('Name the capital of Norway.')],
        tools: [toolFor('get_weather', true)],
        toolChoice: { type: 'none' },
        responseFormat: {
          type: 'json',
          name: 'city',
          schema: 'inputSchema' in schema ? schema.inputSchema : {},
        },
        providerOptions: { openai: { strictJsonSchema: true } },
        abortSignal: probe.signal,
      }),
    );
    const isCity = typeof objectOf(tryParseJson(textOf(value)))?.city === 'string';
    const note = isCity ? '' : 'accepted, but the answer does not have the schema';
    return { result: isCity ? 'yes' : 'no', note, compatibility: added };
  },

  async reasoning(probe) {
    const { value, added } = await probe.attempt(
      [{}, { without: ['reasoning.summary'] }, { without: ['reasoning'] }],
      model =>
        model.doGenerate({
          prompt: [user('What is 17 times 3?')],
          providerOptions: REASONING,
          abortSignal: probe.signal,
        }),
    );
    const items = objectsOf(objectOf(value.response?.body)?.output).filter(
      entry => entry.type === 'reasoning',
    );
    const isEncrypted = items.some(item => stringOf(item.encrypted_content) !== '');
    const note = isEncrypted ? 'encrypted' : items.length > 0 ? 'as text' : 'no reasoning in the answer';
    return { result: items.length > 0 ? 'yes' : 'unclear', note, compatibility: added };
  },

  async images(probe) {
    const { value, added } = await probe.attempt([{}, { images: false }], model =>
      model.doGenerate({
        prompt: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Which colour is this?' },
              { type: 'file', mediaType: 'image/png', data: IMAGE },
            ],
          },
        ],
        abortSignal: probe.signal,
      }),
    );
    const isLost = added.images === false || /image/i.test(warningsOf(value));
    return isLost ? { result: 'no', compatibility: { images: false } } : { result: 'yes' };
  },

  async 'tool images'(probe) {
    const call = { toolCallId: 'call_probe1', toolName: 'get_weather' };
    const image = { type: 'media' as const, mediaType: 'image/png', data: IMAGE };
    const value = [{ type: 'text' as const, text: 'A picture of the sky.' }, image];
    const prompt: Prompt = [
      user('Call get_weather for Oslo.'),
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { city: 'Oslo' } }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'content', value } }] },
    ];
    const { added } = await probe.attempt(
      [{}, { toolImages: 'user-message' }, STRINGS, { ...STRINGS, toolImages: 'text' }, { images: false }],
      model => model.doGenerate({ prompt, tools: [weather], abortSignal: probe.signal }),
    );
    const isWhole = Object.keys(added).length === 0;
    return { result: isWhole ? 'yes' : 'no', compatibility: added };
  },

  async truncation(probe) {
    const { value, added } = await probe.attempt([{}, { without: ['max_output_tokens'] }], model =>
      model.doGenerate({
        prompt: [user('Count from one to one hundred in words, without calling a tool.')],
        maxOutputTokens: 16,
        abortSignal: probe.signal,
      }),
    );
    if (added.without !== undefined)
      return { result: 'no', note: 'max_output_tokens is rejected', compatibility: added };
    if (value.finishReason === 'length') return { result: 'yes' };
    const isLong = (value.usage.outputTokens ?? 0) >= 16;
    return isLong
      ? { result: 'no', note: 'a truncated answer counts as complete' }
      : { result: 'unclear', note: 'the answer is too short to be truncated' };
  },

  async store({ model, server, signal }) {
    const first = await server.send('/responses', {
      body: { model, input: 'Say hello.', store: true },
      signal,
    });
    const { id, store } = objectOf(first.body) ?? {};
    if (first.status !== 200 || store === false || typeof id !== 'string')
      return { result: 'no', note: 'responses are not stored' };
    const body = { model, input: 'And again.', previous_response_id: id };
    const next = await server.send('/responses', { body, signal });
    return objectOf(next.body)?.previous_response_id === id
      ? { result: 'yes', note: 'previousResponseId works' }
      : {
          result: 'no',
          note: 'previousResponseId is not followed: send complete conversations, the default',
        };
  },

  async background({ model, server, signal }) {
    const body = { model, input: 'Say hello.', store: true, background: true };
    const { body: answer } = await server.send('/responses', { body, signal });
    const { background, id } = objectOf(answer) ?? {};
    if (background !== true || typeof id !== 'string') return { result: 'no' };
    await server.send(`/responses/${encodeURIComponent(id)}/cancel`, { body: {}, signal });
    return { result: 'yes' };
  },

  async websocket(probe) {
    const status = await probe.server.upgrade(probe.signal);
    return status === 101 ? { result: 'yes', note: "transport: 'websocket'" } : { result: 'no' };
  },

  async compaction({ model, server, signal }) {
    const input = [{ type: 'message', role: 'user', content: 'Hello.' }];
    const { status, body } = await server.send('/responses/compact', { body: { model, input }, signal });
    const isCompacted = status === 200 && isPlainObject(body) && Array.isArray(body.output);
    return { result: isCompacted ? 'yes' : 'no' };
  },
};
