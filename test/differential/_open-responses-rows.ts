import { tool } from 'ai';
import { z } from 'zod';
import type { WireEvent } from '../_sse.js';
import {
  functionCall,
  type ItemScript,
  message,
  reasoning,
  toResponse,
  toStream,
} from '../responses/stream/_fixtures/wire-events.js';
import { type Answer, type Item, type RivalExtension, type Run, user } from './_open-responses-providers.js';

/** One row of the table: a behavior, measured with each provider. */
export interface ComparedRow {
  readonly title: string;
  /** @default both */
  readonly modes?: readonly ('stream' | 'generate')[];
  /** Returns true if the provider behaves so, or a figure. */
  readonly measure: (run: Run) => Promise<boolean | string>;
}

const NOTHING: Item & { input: Item[]; tools?: Item[] } = { input: [] };
const hello = message(['Hello.']);
const add = functionCall('add', '{"a":1}');
const addTool = { type: 'function', name: 'add', inputSchema: { type: 'object', properties: {} } };

/** Gives the events of reasoning the names of the specification. */
const withOpenNames = (events: readonly WireEvent[]): WireEvent[] =>
  events.map(event => ({
    ...event,
    type: event.type.replace('response.reasoning_text.', 'response.reasoning.'),
  }));

const thought = [reasoning({ text: 'Hm.' }), hello];

/** An item of an extension. */
const receipt = {
  type: 'acme:receipt',
  id: 'ar_1',
  status: 'completed',
  call_id: 'call_s',
  found: 2,
  opaque: { camelCase: [1, null] },
};
const receiptScript: ItemScript = {
  begun: { ...receipt, status: 'in_progress' },
  item: receipt,
  deltas: [{ type: 'acme:progress', item_id: 'ar_1', page: 3 }],
};
const search = { type: 'provider', id: 'acme.search', name: 'search', args: { topK: 3 } };

/** A codec of the other provider. The compiler checks that this package accepts its type. */
const codec: RivalExtension = {
  id: 'acme.search',
  toolType: 'acme:search',
  itemTypes: ['acme:receipt'],
  eventTypes: ['acme:progress'],
  encodeTool: ({ args }) => ({ top_k: Number(args.topK) }),
  encodeToolChoice: ({ name }) => ({ name }),
  decodeItem({ item }) {
    const call = { toolCallId: String(item.call_id), toolName: 'search' };
    return [
      { type: 'tool-call', ...call, input: '{}', providerExecuted: true },
      { type: 'tool-result', ...call, result: { found: item.found ?? null } },
    ];
  },
  decodeEvent: ({ event }) => [
    { type: 'source', sourceType: 'url', id: 's1', url: `https://acme.test/${String(event.page)}` },
  ],
  encodeInputItem: ({ part }) => ({
    type: 'acme:receipt',
    id: `out_${part.type}`,
    status: 'completed',
    call_id: part.toolCallId,
  }),
};

/** Asks twice; the history of the second request is a copy of the first answer. */
async function inputOfNext(run: Run, answer: Answer, options: object = {}): Promise<readonly Item[]> {
  const { ask, bodies } = await run([answer, [hello]], options);
  const { assistant } = await ask({ tools: [addTool] });
  await ask({ tools: [addTool], prompt: [user, JSON.parse(JSON.stringify(assistant)), user] });
  return bodies().at(-1)?.input ?? [];
}

const has = (items: readonly Item[] | undefined, type: string): boolean =>
  items?.some(item => item.type === type) === true;

/** Fields of the request in the specification of 2026-04-24 that are not decided by the call itself, with values. */
const FIELDS: Readonly<Record<string, unknown>> = {
  background: true,
  frequency_penalty: 0.5,
  include: ['message.output_text.logprobs'],
  instructions: 'Be brief.',
  max_output_tokens: 500,
  max_tool_calls: 3,
  metadata: { a: 'b' },
  parallel_tool_calls: false,
  presence_penalty: 0.5,
  previous_response_id: 'resp_0',
  prompt_cache_key: 'k',
  reasoning: { effort: 'low', summary: 'auto' },
  safety_identifier: 's',
  service_tier: 'flex',
  store: true,
  stream_options: { include_obfuscation: false },
  temperature: 0.5,
  text: { verbosity: 'low' },
  tool_choice: 'required',
  top_logprobs: 2,
  top_p: 0.5,
  truncation: 'auto',
};

/** The same fields as options of a call. */
const FIELD_OPTIONS: Readonly<Record<string, object>> = {
  frequency_penalty: { frequencyPenalty: 0.5 },
  presence_penalty: { presencePenalty: 0.5 },
  max_output_tokens: { maxOutputTokens: 500 },
  temperature: { temperature: 0.5 },
  top_p: { topP: 0.5 },
  tool_choice: { toolChoice: { type: 'required' } },
};

const optionNames: Readonly<Record<string, Record<string, unknown>>> = {
  reasoning: { reasoningEffort: 'low', reasoningSummary: 'auto' },
  text: { textVerbosity: 'low' },
  stream_options: { streamOptions: { includeObfuscation: false } },
  top_logprobs: { logprobs: 2 },
};

const toCamelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export const COMPARED_ROWS: readonly ComparedRow[] = [
  {
    title: 'text and usage',
    async measure(run) {
      const { text, usage, finishReason } = await (await run([[hello]])).ask();
      return text === 'Hello.' && usage === 75 && finishReason === 'stop';
    },
  },
  {
    title: 'reasoning, named as in the specification (`response.reasoning.delta`)',
    async measure(run) {
      const { ask } = await run([{ events: withOpenNames(toStream(thought)), json: toResponse(thought) }]);
      return (await ask()).reasoning === 'Hm.';
    },
  },
  {
    title: 'reasoning whose `content` is a string (SGLang)',
    async measure(run) {
      const edit = (value: unknown): string =>
        JSON.stringify(value).replaceAll('[{"type":"reasoning_text","text":"Hm."}]', '"Hm."');
      const silent = toStream(thought).filter(({ type }) => !type.startsWith('response.reasoning'));
      const { ask } = await run([
        { events: JSON.parse(edit(silent)), json: JSON.parse(edit(toResponse(thought))) },
      ]);
      return (await ask()).reasoning === 'Hm.';
    },
  },
  {
    title: 'reasoning ends when the answer begins, also if the server ends both together (llama.cpp)',
    modes: ['stream'],
    async measure(run) {
      const events = toStream(thought);
      const isEnd = ({ type }: WireEvent) => type.endsWith('.done');
      const late = [
        ...events.filter(event => !isEnd(event)).slice(0, -1),
        ...events.filter(isEnd),
        ...events.slice(-1),
      ];
      const { types } = await (await run([{ events: late }])).ask();
      return types.indexOf('reasoning-end') < types.indexOf('text-start');
    },
  },
  {
    title: 'encrypted reasoning goes back to the server',
    async measure(run) {
      const input = await inputOfNext(run, [reasoning({ summary: ['Hm.'], encrypted: 'xyz' }), hello]);
      return input.some(item => item.type === 'reasoning' && item.encrypted_content === 'xyz');
    },
  },
  {
    title: 'arguments of a call while the model writes them',
    modes: ['stream'],
    async measure(run) {
      const { types } = await (await run([[add]])).ask({ tools: [addTool] });
      return types.includes('tool-input-delta');
    },
  },
  {
    title: 'refusals: text, and the finish reason `content-filter`',
    async measure(run) {
      const { text, finishReason } = await (await run([[message([{ refusal: 'No.' }])]])).ask();
      return text === 'No.' && finishReason === 'content-filter';
    },
  },
  {
    title: 'citations as sources',
    async measure(run) {
      const annotation = {
        type: 'url_citation',
        url: 'https://a.test/',
        title: 'A',
        start_index: 0,
        end_index: 1,
      };
      const { content } = await (await run([[message([{ text: 'A.', annotations: [annotation] }])]])).ask();
      return content.some(({ type, url }) => type === 'source' && url === 'https://a.test/');
    },
  },
  {
    title: 'a stream that breaks off is an error',
    modes: ['stream'],
    async measure(run) {
      const events = toStream([hello]);
      const { errors } = await (await run([{ events: events.slice(0, events.length - 3) }])).ask();
      return errors > 0;
    },
  },
  {
    title: 'a function that the server has run does not run again',
    async measure(run) {
      const output = {
        type: 'function_call_output',
        id: 'fco_1',
        call_id: 'call_1',
        output: '1',
        status: 'completed',
      };
      const { content } = await (
        await run([[add, { begun: output, item: output, deltas: [] }, hello]])
      ).ask({ tools: [addTool] });
      return content.every(part => part.type !== 'tool-call' || part.providerExecuted === true);
    },
  },
  {
    title: 'items of other kinds (compaction) go back to the server',
    async measure(run) {
      const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'xyz' };
      return has(await inputOfNext(run, [{ begun: item, item, deltas: [] }, hello]), 'compaction');
    },
  },
  {
    title: 'extension items as parts, with a codec',
    async measure(run) {
      const { content } = await (
        await run([[receiptScript, hello]], { extensions: [codec] })
      ).ask({ tools: [search] });
      return content.some(
        ({ type, result }) => type === 'tool-result' && JSON.stringify(result) === '{"found":2}',
      );
    },
  },
  {
    title: 'extension items go back unchanged, with a codec',
    async measure(run) {
      const input = await inputOfNext(run, [receiptScript, hello], { extensions: [codec] });
      return JSON.stringify(input.filter(({ type }) => type === receipt.type)) === JSON.stringify([receipt]);
    },
  },
  {
    title: 'extension items go back unchanged, without a codec',
    async measure(run) {
      const input = await inputOfNext(run, [receiptScript, hello]);
      return JSON.stringify(input.filter(({ type }) => type === receipt.type)) === JSON.stringify([receipt]);
    },
  },
  {
    title: 'extension events as parts',
    modes: ['stream'],
    async measure(run) {
      const { content } = await (await run([[receiptScript, hello]], { extensions: [codec] })).ask();
      return content.some(({ type, url }) => type === 'source' && url === 'https://acme.test/3');
    },
  },
  {
    title: 'extension tools and their choice, with a codec',
    async measure(run) {
      const { ask, bodies } = await run([[hello]], { extensions: [codec] });
      await ask({ tools: [search, addTool], toolChoice: { type: 'tool', toolName: 'search' } });
      const [{ tools, tool_choice: choice } = NOTHING] = bodies();
      return (
        JSON.stringify(tools?.[0]) === '{"top_k":3,"type":"acme:search"}' &&
        JSON.stringify(choice) === '{"name":"search","type":"acme:search"}'
      );
    },
  },
  {
    title: 'extension tools without a codec',
    async measure(run) {
      const { ask, bodies } = await run([[hello]]);
      await ask({ tools: [search] });
      return has(bodies()[0]?.tools, 'acme:search');
    },
  },
  {
    title: 'a codec encodes the result of a call that has no item',
    async measure(run) {
      const { ask, bodies } = await run([[hello]], { extensions: [codec] });
      const call = { toolCallId: 'call_9', toolName: 'search' };
      const prompt = [
        user,
        { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
        { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'x' } }] },
      ];
      await ask({ tools: [search], prompt });
      return (
        JSON.stringify(
          bodies()[0]
            ?.input.slice(1)
            .map(({ id }) => id),
        ) === '["out_tool-call","out_tool-result"]'
      );
    },
  },
  {
    title: 'images in the output of a tool',
    async measure(run) {
      const { ask, bodies } = await run([[hello]]);
      const call = { toolCallId: 'call_9', toolName: 'add' };
      const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } };
      const prompt = [
        user,
        { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', ...call, output: { type: 'content', value: [image] } }],
        },
      ];
      await ask({ tools: [addTool], prompt });
      return JSON.stringify(bodies()[0]?.input.at(-1)?.output ?? '').includes('input_image');
    },
  },
  {
    title: 'system messages within a conversation keep their place',
    async measure(run) {
      const { ask, bodies } = await run([[hello]]);
      await ask({ prompt: [{ role: 'system', content: 'A' }, user, { role: 'system', content: 'B' }, user] });
      return /^(?:system|developer)$/.test(String(bodies()[0]?.input[2]?.role));
    },
  },
  {
    title: 'a schema that breaks the rules of strict mode is not sent as strict',
    async measure(run) {
      const { ask, bodies } = await run([[message(['{}'])]]);
      const schema = { type: 'object', properties: { a: { type: 'string' } } };
      await ask({ responseFormat: { type: 'json', schema } });
      return JSON.stringify(bodies()[0]?.text).includes('"strict":false');
    },
  },
  {
    title: 'a tool schema that no server accepts (an array without `items`) is corrected',
    async measure(run) {
      const { ask, bodies } = await run([[hello]]);
      const inputSchema = { type: 'object', properties: { list: { type: 'array' } } };
      await ask({ tools: [{ ...addTool, inputSchema }] });
      return JSON.stringify(bodies()[0]?.tools?.[0]?.parameters).includes('"items"');
    },
  },
  {
    title: 'a request that is rejected for a known reason is changed and sent again',
    async measure(run) {
      const error = {
        message: "Unsupported parameter: 'temperature' is not supported with this model.",
        type: 'invalid_request_error',
        param: 'temperature',
        code: 'unsupported_parameter',
      };
      const { ask } = await run([{ status: 400, json: { error } }, [hello]]);
      return (await ask({ temperature: 0.5 })).text === 'Hello.';
    },
  },
  {
    title: 'the error of an address without this API contains the address',
    async measure(run) {
      const { error } = await (await run([{ status: 404, json: { detail: 'Not Found' } }])).ask();
      return error instanceof Error && error.message.includes('http://127.0.0.1');
    },
  },
  {
    title: `fields of the request that options can set, of ${Object.keys(FIELDS).length}`,
    modes: ['stream'],
    async measure(run) {
      let count = 0;
      for (const [field, value] of Object.entries(FIELDS)) {
        const { ask, bodies } = await run([[hello], [hello]]);
        const own = optionNames[field] ?? { [toCamelCase(field)]: value };
        await ask({ tools: [addTool], ...(FIELD_OPTIONS[field] ?? { own }) });
        if (JSON.stringify(bodies()[0]?.[field] ?? null).includes(JSON.stringify(value).slice(1, -1)))
          count++;
      }
      return String(count);
    },
  },
  {
    title: 'requests over a WebSocket',
    modes: ['stream'],
    async measure(run) {
      const { ask, frames } = await run([[hello]], { transport: 'websocket' });
      await ask();
      return frames() > 0;
    },
  },
  ...([5, 6, 7] as const).map((major): ComparedRow => ({
    title: `\`generateText\` of \`ai@${major}\` calls a tool`,
    modes: ['generate'],
    async measure(run) {
      const { call } = await run([[add], [hello]]);
      const tools = { add: tool({ inputSchema: z.object({ a: z.number() }), execute: () => 1 }) };
      return (await call(major, tools)) === 'Hello.';
    },
  })),
];
