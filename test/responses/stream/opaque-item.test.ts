import { describe, expect, it } from 'vitest';
import { opaqueItemOf } from '../_carriers.js';
import { forEachChunking } from '../../_chunking.js';
import { summarize } from '../../_parts.js';
import { toSse } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import {
  functionCall,
  type ItemScript,
  message,
  reasoning,
  toResponse,
  toStream,
  type WireItem,
} from './_fixtures/wire-events.js';

const bytes = (text: string) => [new TextEncoder().encode(text)];
const script = (item: WireItem, begun: WireItem = item): ItemScript => ({ begun, item, deltas: [] });

const itemsIn = (parts: Awaited<ReturnType<typeof readParts>>) =>
  parts.flatMap(part => (part.type === 'reasoning-end' ? [opaqueItemOf(part.providerMetadata)] : []));

const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'x'.repeat(5_000) };

const items: readonly WireItem[] = [
  compaction,
  { type: 'program', id: 'prg_1', call_id: 'call_p', code: 'f()', fingerprint: 'a\u0000"b' },
  { type: 'program_output', id: 'prgo_1', call_id: 'call_p', result: '1', status: 'incomplete' },
  { type: 'tool_search_call', id: 'ts_1', call_id: null, execution: 'server', arguments: { paths: ['a'] } },
  {
    type: 'tool_search_output',
    id: 'tso_1',
    call_id: null,
    execution: 'server',
    tools: [{ type: 'function' }],
  },
  { type: 'agent_message', id: 'am_1', author: '/root', recipient: '/root/a', content: [] },
  { type: 'multi_agent_call', id: 'mac_1', call_id: 'c', action: 'spawn_agent', arguments: '{}' },
  { type: 'multi_agent_call_output', id: 'maco_1', call_id: 'c', action: 'spawn_agent', output: [] },
  { type: 'additional_tools', id: 'at_1', role: 'developer', tools: [] },
  { type: 'function_call_output', id: 'fco_1', call_id: 'call_9', output: 'done' },
  { type: 'computer_call_output', id: 'cco_1', call_id: 'call_8', output: { type: 'computer_screenshot' } },
  { type: 'acme:search_call', id: 'acme_1', query: 'x', nested: { deep: [1, null, { a: 'ü' }] } },
];

describe('items without a function form', () => {
  it.each(items)('carries $type once, in the order of the output', async item => {
    const scripts = [
      reasoning({ encrypted: 'e' }),
      script(item, { type: item.type, id: item.id, status: 'in_progress' }),
      functionCall('weather', '{}'),
      message(['Hi']),
    ];
    for (const body of [toSse(toStream(scripts)), JSON.stringify(toResponse(scripts))]) {
      const parts = await readParts(bytes(body));
      expect(itemsIn(parts).filter(carried => carried !== undefined)).toEqual([item]);
      expect(summarize(parts)).toMatchObject({
        calls: [{ id: 'call_1' }],
        reasoning: ['', ''],
        texts: ['Hi'],
        errors: [],
        finishReason: 'tool-calls',
      });
      const order = parts
        .map(({ type }) => type)
        .filter(type => ['reasoning-end', 'tool-call', 'text-end'].includes(type));
      expect(order).toEqual(['reasoning-end', 'reasoning-end', 'tool-call', 'text-end']);
    }
  });

  it('contains the id under the name of the official provider, and no output field', async () => {
    const item = { ...compaction, created_by: 'user_1' };
    const parts = await readParts(bytes(toSse(toStream([script(item)]))));
    expect(parts.find(({ type }) => type === 'reasoning-start')).toMatchObject({
      providerMetadata: { openai: { itemId: 'cmp_1' } },
    });
    expect(itemsIn(parts)).toEqual([compaction]);
  });

  forEachChunking(
    'carries all items of a response',
    toSse(toStream(items.map(item => script(item)))),
    async chunks => {
      const parts = await readParts(chunks);
      expect(itemsIn(parts)).toEqual(items);
      expect(parts.some(({ type }) => type.startsWith('tool-'))).toBe(false);
    },
  );

  it('carries items that only the terminal response contains', async () => {
    const events = toStream([message(['Hi']), script(compaction)]).filter(
      ({ output_index: index }) => index !== 1,
    );
    expect(itemsIn(await readParts(bytes(toSse(events))))).toEqual([compaction]);
  });

  it('carries an item once if the server changes its id', async () => {
    const events = toStream([script(compaction)]).map((event, index) =>
      event.type === 'response.output_item.added'
        ? { ...event, item: { ...compaction, id: `other_${index}` } }
        : event,
    );
    expect(itemsIn(await readParts(bytes(toSse(events))))).toHaveLength(1);
  });

  it('carries two items of a type', async () => {
    const second = { ...compaction, id: 'cmp_2' };
    const parts = await readParts(bytes(toSse(toStream([script(compaction), script(second)]))));
    expect(itemsIn(parts)).toEqual([compaction, second]);
  });

  it('does not carry an item in which the stream broke', async () => {
    const events = toStream([script(compaction)]).slice(0, 3);
    expect(events.at(-1)?.type).toBe('response.output_item.added');
    const parts = await readParts(bytes(toSse(events)));
    expect(itemsIn(parts)).toEqual([]);
    expect(parts.at(-1)).toMatchObject({ finishReason: 'error' });
  });

  it('does not carry an item in which an incomplete response ended', async () => {
    const item = { type: 'program_output', id: 'p_1', call_id: 'c', result: '', status: 'in_progress' };
    const terminal = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    const parts = await readParts(bytes(JSON.stringify(toResponse([script(item)], terminal))));
    expect(itemsIn(parts)).toEqual([]);
    expect(parts.at(-1)).toMatchObject({ finishReason: 'length' });
  });
});

describe('the tools of a hosted MCP server', () => {
  const list = { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'docs', tools: [] };

  it('have no part', async () => {
    const parts = await readParts(bytes(toSse(toStream([script(list)]))));
    expect(parts.map(({ type }) => type)).toEqual(['response-metadata', 'finish']);
    expect(parts.at(-1)).not.toHaveProperty('providerMetadata.kelivo');
  });

  it('are reported once if the API could not list them', async () => {
    const error = { type: 'http_error', code: 401, message: 'Unauthorized' };
    const parts = await readParts(bytes(toSse(toStream([script({ ...list, error })]))));
    expect(parts.map(({ type }) => type)).toEqual(['response-metadata', 'finish']);
    expect(parts.at(-1)).toMatchObject({
      providerMetadata: { kelivo: { mcpErrors: [{ serverLabel: 'docs', error }] } },
    });
  });
});
