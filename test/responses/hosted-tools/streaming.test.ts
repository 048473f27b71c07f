import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import type { HostVersion } from '../../../src/core/versions/specification.js';
import type { ToolPartsMode } from '../../../src/core/call.js';
import { opaqueItemOf } from '../_carriers.js';
import { toSse } from '../../_sse.js';
import { readParts } from '../_read-parts.js';

type Json = Record<string, unknown>;

/** Returns the parts of a response with the given events, for a host that declared a tool as `mine`. */
async function partsOf(
  events: readonly Json[],
  {
    id,
    args = {},
    host = 'v2',
    undeclared = 'full',
  }: { id?: string; args?: Json; host?: HostVersion; undeclared?: ToolPartsMode },
): Promise<LanguageModelV2StreamPart[]> {
  const body = toSse([
    { type: 'response.created', response: { id: 'resp_1' } },
    ...events,
    { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [] } },
  ]);
  return readParts([new TextEncoder().encode(body)], {
    declared: {
      names: new Set(id === undefined ? [] : ['mine']),
      nameById: new Map(id === undefined ? [] : [[id, 'mine']]),
      argsById: new Map(id === undefined ? [] : [[id, args]]),
      undeclared,
      host,
    },
  });
}

const added = (item: Json, index = 0) => ({ type: 'response.output_item.added', output_index: index, item });
const done = (item: Json, index = 0) => ({ type: 'response.output_item.done', output_index: index, item });
const ofType = <TYPE extends LanguageModelV2StreamPart['type']>(
  parts: readonly LanguageModelV2StreamPart[],
  type: TYPE,
) => parts.filter((part): part is Extract<LanguageModelV2StreamPart, { type: TYPE }> => part.type === type);
const opaqueTypes = (parts: readonly LanguageModelV2StreamPart[]) =>
  ofType(parts, 'reasoning-end').map(part => opaqueItemOf(part.providerMetadata)?.type);

const custom = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'mine', input: 'say "é"' };
const customEvents = [
  added({ ...custom, input: '' }),
  ...['say ', '"é'].map(delta => ({
    type: 'response.custom_tool_call_input.delta',
    output_index: 0,
    item_id: 'ctc_1',
    delta,
  })),
  done(custom),
];

it.each([
  ['v2', ['"', 'say ', '\\"é', '\\"', '"'], undefined],
  ['v3', ['say ', '"é', '"'], 'text'],
  ['v4', ['say ', '"é', '"'], 'text'],
] as const)('streams the text of a custom tool to a %s host', async (host, deltas, inputEncoding) => {
  const parts = await partsOf(customEvents, { id: 'openai.custom', host });
  const [start] = ofType(parts, 'tool-input-start');
  expect(start).toEqual({
    type: 'tool-input-start',
    id: 'call_1',
    toolName: 'mine',
    ...(inputEncoding !== undefined && { inputEncoding }),
  });
  expect(ofType(parts, 'tool-input-delta').map(({ delta }) => delta)).toEqual(deltas);
  expect(ofType(parts, 'tool-call').map(({ input }) => input)).toEqual([JSON.stringify(custom.input)]);
});

it('writes no call for a custom input that the response ended in', async () => {
  const parts = await partsOf(
    [...customEvents.slice(0, -1), done({ ...custom, input: 'say "é', status: 'incomplete' })],
    { id: 'openai.custom' },
  );
  expect(ofType(parts, 'tool-input-end')).toHaveLength(1);
  expect(ofType(parts, 'tool-call')).toEqual([]);
});

const image = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0KGgo=' };
const imageEvents = [
  added({ type: 'image_generation_call', id: 'ig_1', status: 'in_progress' }),
  {
    type: 'response.image_generation_call.partial_image',
    output_index: 0,
    item_id: 'ig_1',
    partial_image_index: 0,
    partial_image_b64: 'AAEC',
  },
  done(image),
];

it.each([
  ['v4', { partialImages: 1 }, ['AAEC', 'iVBORw0KGgo=']],
  ['v3', { partialImages: 1 }, ['AAEC', 'iVBORw0KGgo=']],
  ['v3', {}, ['iVBORw0KGgo=']],
  ['v2', { partialImages: 1 }, ['iVBORw0KGgo=']],
] as const)('sends a %s host with %j the images %j', async (host, args, images) => {
  const parts = await partsOf(imageEvents, { id: 'openai.image_generation', args, host });
  const results = ofType(parts, 'tool-result');
  expect(results.map(({ result }) => (result as Json).result)).toEqual(images);
  const preliminary = results.map(part => 'preliminary' in part && part.preliminary === true);
  expect(preliminary).toEqual(images.length === 2 ? [true, false] : [false]);
});

const program = { type: 'program', id: 'cm_1', call_id: 'call_1', code: 'a()', fingerprint: 'f' };
const output = { type: 'program_output', id: 'cmo_1', call_id: 'call_1', result: '', status: 'incomplete' };

it('returns the result of an incomplete program', async () => {
  const parts = await partsOf([done(program), done(output, 1)], {
    id: 'openai.programmatic_tool_calling',
  });
  expect(ofType(parts, 'tool-call')).toMatchObject([
    { toolCallId: 'call_1', toolName: 'mine', input: '{"code":"a()","fingerprint":"f"}' },
  ]);
  expect(ofType(parts, 'tool-result')).toMatchObject([
    { toolCallId: 'call_1', result: { result: '', status: 'incomplete' } },
  ]);
});

it('carries the result of a program of an earlier response unchanged to hosts that cannot match it', async () => {
  const id = 'openai.programmatic_tool_calling';
  const v2 = await partsOf([done(output)], { id });
  expect(ofType(v2, 'tool-result')).toEqual([]);
  expect(opaqueTypes(v2)).toEqual(['program_output']);
  const v4 = await partsOf([done(output)], { id, host: 'v4' });
  expect(ofType(v4, 'tool-result')).toMatchObject([{ toolCallId: 'call_1' }]);
  expect(opaqueTypes(v4)).toEqual([]);
});

const search = (id: string) => ({
  type: 'tool_search_call',
  id,
  call_id: null,
  execution: 'server',
  status: 'completed',
  arguments: { paths: [id] },
});
const found = (id: string) => ({
  type: 'tool_search_output',
  id,
  call_id: null,
  execution: 'server',
  status: 'completed',
  tools: [{ type: 'function', name: id }],
});
const searches = [search('tsc_1'), search('tsc_2'), found('tso_1'), found('tso_2')];

it('assigns the results of tool searches in their order', async () => {
  const parts = await partsOf(
    searches.map((item, index) => done(item, index)),
    { id: 'openai.tool_search' },
  );
  expect(ofType(parts, 'tool-call').map(({ input }) => JSON.parse(input) as unknown)).toEqual([
    { arguments: { paths: ['tsc_1'] }, call_id: null },
    { arguments: { paths: ['tsc_2'] }, call_id: null },
  ]);
  expect(ofType(parts, 'tool-result')).toMatchObject([
    { toolCallId: 'tsc_1', result: { tools: [{ name: 'tso_1' }] } },
    { toolCallId: 'tsc_2', result: { tools: [{ name: 'tso_2' }] } },
  ]);
});

it.each([
  { name: 'searches', items: searches },
  { name: 'programs', items: [program, output] },
])('carries $name unchanged if the host did not declare the tool', async ({ items }) => {
  const parts = await partsOf(
    items.map((item, index) => done(item, index)),
    {},
  );
  expect(ofType(parts, 'tool-call')).toEqual([]);
  expect(opaqueTypes(parts)).toEqual(items.map(({ type }) => type));
});

it('keeps the status and the action of a failed search', async () => {
  const action = { type: 'search', query: 'x', queries: ['x', 'y'] };
  const item = { type: 'web_search_call', id: 'ws_1', status: 'failed', action };
  const parts = await partsOf([done(item)], { id: 'openai.web_search' });
  expect(ofType(parts, 'tool-result')).toMatchObject([
    { isError: true, result: { status: 'failed', action } },
  ]);
});

it.each([
  { type: 'mcp_protocol_error', code: 1, message: 'a' },
  { type: 'mcp_tool_execution_error', content: [] },
  { type: 'http_error', code: 500, message: 'b' },
  'text',
])('returns the MCP error %j as the error of the call', async error => {
  const item = { type: 'mcp_call', id: 'mcp_1', server_label: 'd', name: 'read', arguments: '{}', error };
  const parts = await partsOf([done(item)], {});
  expect(ofType(parts, 'tool-result')).toMatchObject([
    {
      toolName: 'mcp.read',
      isError: true,
      result: { error },
      providerMetadata: { openai: { itemId: 'mcp_1' } },
    },
  ]);
});

it('returns each file once, as a citation or as a result', async () => {
  const results = ['file-1', 'file-1', 'file-2'].map(id => ({
    file_id: id,
    filename: `${id}.txt`,
    score: 1,
    text: 'a',
    attributes: {},
  }));
  const annotations = [{ type: 'file_citation', file_id: 'file-1', filename: 'file-1.txt', index: 0 }];
  const parts = await partsOf(
    [
      done({ type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['x'], results }),
      done(
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'A.', annotations }],
        },
        1,
      ),
    ],
    { id: 'openai.file_search' },
  );
  expect(ofType(parts, 'source')).toMatchObject([
    { filename: 'file-1.txt', providerMetadata: { openai: { type: 'file_citation', fileId: 'file-1' } } },
    { filename: 'file-2.txt', providerMetadata: { openai: { type: 'file_search', fileId: 'file-2' } } },
  ]);
  expect(parts.findIndex(({ type }) => type === 'finish')).toBe(parts.length - 1);
});

it('carries a call unchanged to a host that accepts no parts of it', async () => {
  const item = {
    type: 'mcp_call',
    id: 'mcp_1',
    server_label: 'd',
    name: 'read',
    arguments: '{}',
    output: 'a',
  };
  const parts = await partsOf([added(item), done(item)], { undeclared: 'none' });
  expect(parts.filter(({ type }) => type.startsWith('tool-'))).toEqual([]);
  expect(ofType(parts, 'reasoning-end').map(part => opaqueItemOf(part.providerMetadata))).toEqual([item]);
});
