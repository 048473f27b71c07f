import { expect, it } from 'vitest';
import type { HostedTool, ServerCall } from '../../../src/responses/hosted-tools/hosted-tool.js';
import * as tools from '../../../src/responses/hosted-tools/tools.js';
import type { PlainObject } from '../../../src/core/shared/json.js';

/** Returns the call as the parts of a finished item and its output contain it. */
function toServerCall(tool: HostedTool, items: readonly PlainObject[]): ServerCall {
  const call = items.find(({ type }) => tool.items[String(type)]?.resultOf === undefined);
  const last = items.at(-1);
  const mapping = tool.items[String(last?.type)];
  const metadataOf = (item: PlainObject | undefined) =>
    (item && tool.items[String(item.type)]?.metadata?.(item)) ?? {};
  return JSON.parse(
    JSON.stringify({
      id: call?.call_id ?? call?.id,
      toolName: 'mine',
      input: call && tool.items[String(call.type)]?.input?.(call, undefined),
      result: last && mapping?.result(last),
      isError: (last && mapping?.isError?.(last)) ?? last?.status === 'failed',
      options: metadataOf(call),
      resultOptions: metadataOf(last),
    }),
  ) as ServerCall;
}

const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
const fingerprint = 'gAAAA/+=="\\ü\u2028';
const output = { stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } };

it.each<[keyof typeof tools, PlainObject[]]>([
  [
    'webSearchTool',
    [
      {
        ...search,
        action: {
          type: 'search',
          query: 'x',
          queries: ['x', 'y'],
          sources: [{ type: 'url', url: 'https://a.org' }],
        },
      },
    ],
  ],
  ['webSearchTool', [{ ...search, action: { type: 'open_page', url: 'https://a.org' } }]],
  ['webSearchTool', [{ ...search, action: { type: 'find_in_page', url: 'https://a.org', pattern: 'x' } }]],
  ['webSearchTool', [{ ...search, status: 'failed', action: { type: 'search', query: 'x' } }]],
  [
    'programmaticToolCallingTool',
    [
      { type: 'program', id: 'cm_1', call_id: 'call_1', code: 'await a()', fingerprint },
      { type: 'program_output', id: 'cmo_1', call_id: 'call_1', result: '{}', status: 'completed' },
    ],
  ],
  [
    'programmaticToolCallingTool',
    [
      { type: 'program', id: 'cm_1', call_id: 'call_1', code: 'await a()', fingerprint },
      { type: 'program_output', id: 'cmo_1', call_id: 'call_1', result: '', status: 'incomplete' },
    ],
  ],
  [
    'toolSearchTool',
    [
      {
        type: 'tool_search_call',
        id: 'tsc_1',
        execution: 'server',
        call_id: null,
        status: 'completed',
        arguments: { paths: ['a'] },
      },
      {
        type: 'tool_search_output',
        id: 'tso_1',
        execution: 'server',
        call_id: null,
        status: 'completed',
        tools: [{ type: 'function', name: 'a', parameters: { camelCase: null }, defer_loading: true }],
      },
    ],
  ],
  [
    'shellTool',
    [
      {
        type: 'shell_call',
        call_id: 'call_1',
        status: 'completed',
        action: { commands: ['ls'], timeout_ms: 1, max_output_length: 2 },
      },
      { type: 'shell_call_output', call_id: 'call_1', max_output_length: 2, output: [output] },
    ],
  ],
])('%s rebuilds the items of a call from a history', (name, items) => {
  const tool: HostedTool = tools[name];
  expect(tool.serverReplay?.(toServerCall(tool, items))).toEqual(items);
});

it('rebuilds a program before its result is known', () => {
  const program = { type: 'program', id: 'cm_1', call_id: 'call_1', code: 'a()', fingerprint };
  const tool = tools.programmaticToolCallingTool;
  const { result: _, resultOptions: __, ...call } = toServerCall(tool, [program]);
  expect(tool.serverReplay?.(call as ServerCall)).toEqual([program]);
});

it.each([
  [{ action: { type: 'openPage' } }],
  [{ action: { type: 'findInPage', url: 'https://a.org' } }],
  [{}],
  ['text'],
])('does not rebuild the search %j, which lacks required fields', result => {
  const call = { id: 'ws_1', toolName: 'web_search', input: {}, result, isError: false, options: {} };
  expect(tools.webSearchTool.serverReplay?.(call)).toBeUndefined();
});

it.each([
  ['iVBORw0KGgoAAAANSUhEUg', 'image/png'],
  ['/9j/4AAQSkZJRg', 'image/jpeg'],
  ['UklGRiIAAABXRUJQ', 'image/webp'],
  ['R0lGODlhAQABAA', 'image/gif'],
])('sends the drawn image %s as an input image of type %s', (image, mediaType) => {
  const call = {
    id: 'ig_1',
    toolName: 'draw',
    input: {},
    result: { result: image },
    isError: false,
    options: {},
  };
  expect(tools.imageGenerationTool.toUserContent?.(call)).toEqual([
    { type: 'input_image', image_url: `data:${mediaType};base64,${image}` },
  ]);
});

it.each([null, 'PHN2ZyB4bWxucz0i', ''])('sends no input image for %j', image => {
  const call = {
    id: 'ig_1',
    toolName: 'draw',
    input: {},
    result: { result: image },
    isError: false,
    options: {},
  };
  expect(tools.imageGenerationTool.toUserContent?.(call)).toBeUndefined();
});
