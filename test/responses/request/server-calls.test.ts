import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createTurnMemory } from '../../../src/responses/request/turn-memory.js';
import { type BuildContext, build, user } from './_build.js';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/p6nRsQAAAABJRU5ErkJggg==';

type Tool = NonNullable<LanguageModelV2CallOptions['tools']>[number];
const declare = (id: string, name = id.slice('openai.'.length)): Tool => ({
  type: 'provider-defined',
  id: id as `${string}.${string}`,
  name,
  args: {},
});

const calls = (
  toolName: string,
  toolCallId: string,
  {
    input = {},
    value,
    itemId,
    resultId,
  }: { input?: unknown; value: unknown; itemId?: string; resultId?: string },
) => {
  const options = (id?: string) => id !== undefined && { providerOptions: { openai: { itemId: id } } };
  return [
    { type: 'tool-call', toolCallId, toolName, input, providerExecuted: true, ...options(itemId) },
    { type: 'tool-result', toolCallId, toolName, output: { type: 'json', value }, ...options(resultId) },
  ];
};
const converse = (parts: unknown[], context: Partial<BuildContext> = {}, tools: Tool[] = []) =>
  build(
    {
      tools,
      prompt: [
        user('a'),
        { role: 'assistant', content: [...parts, { type: 'text', text: 'b' }] },
        user('c'),
      ] as never,
    },
    context,
  );
const itemsOf = (...options: Parameters<typeof converse>) => converse(...options).body.input.slice(1, -2);
const reference = (id: string) => ({ type: 'item_reference', id });

const search = calls('web_search', 'ws_1', { value: { action: { type: 'search', query: 'x' } } });
const image = calls('image_generation', 'ig_1', { value: { result: png } });
const run = calls('code_interpreter', 'ci_1', { input: { code: '1' }, value: { outputs: null } });
const shell = calls('shell', 'call_1', {
  input: { action: { commands: ['ls'] } },
  value: { output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exitCode: 0 } }] },
  itemId: 'sh_1',
});

describe('with store: true, calls of the server', () => {
  it.each([
    ['web search', search, 'ws_1'],
    ['image generation', image, 'ig_1'],
    ['code interpreter', run, 'ci_1'],
    ['MCP', calls('mcp.find', 'mcp_1', { value: { type: 'call' } }), 'mcp_1'],
    ['file search', calls('file_search', 'fs_1', { value: { queries: [], results: null } }), 'fs_1'],
  ])('of %s are one reference', (_, parts, id) => {
    expect(itemsOf(parts, { store: true })).toEqual([reference(id)]);
    expect(converse(parts, { store: true }).warnings).toEqual([]);
  });

  it('are sent with the complete output item, whose id is unknown', () => {
    expect(itemsOf(shell, { store: true }, [declare('openai.shell')])).toMatchObject([
      reference('sh_1'),
      { type: 'shell_call_output', call_id: 'call_1' },
    ]);
  });

  it('are references to call and output if both ids are known', () => {
    const program = calls('programmatic_tool_calling', 'call_p', {
      input: { code: '', fingerprint: 'f' },
      value: { result: 'r', status: 'completed' },
      itemId: 'cm_1',
      resultId: 'cmo_1',
    });
    expect(itemsOf(program, { store: true }, [declare('openai.programmatic_tool_calling')])).toEqual([
      reference('cm_1'),
      reference('cmo_1'),
    ]);
  });
});

describe('with store: false, calls of the server', () => {
  it.each([
    ['a search', search, { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'x' } }],
    ['an image', image, { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: png }],
  ])('are rebuilt: %s', (_, parts, item) => {
    expect(itemsOf(parts)).toMatchObject([item]);
    expect(converse(parts).warnings).toEqual([]);
  });

  it('of a container are rebuilt with their output', () => {
    expect(itemsOf(shell, {}, [declare('openai.shell')])).toMatchObject([
      { type: 'shell_call', call_id: 'call_1' },
      { type: 'shell_call_output', call_id: 'call_1' },
    ]);
  });

  it('show the image of another API in a message of the user', () => {
    const { body, warnings } = converse(calls('image_generation', 'img-7', { value: { result: png } }));
    expect(body.input).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      {
        role: 'user',
        content: [{ type: 'input_text' }, { type: 'input_image', image_url: `data:image/png;base64,${png}` }],
      },
      { role: 'user' },
    ]);
    expect(warnings).toEqual([]);
  });

  it('that cannot be rebuilt are omitted with a warning', () => {
    const { body, warnings } = converse(run);
    expect(body.input).toHaveLength(3);
    expect(warnings).toEqual([
      {
        type: 'other',
        message: 'Results for OpenAI tool code_interpreter are not sent to the API when store is false',
      },
    ]);
  });

  it('have only their last result, because hosts keep previews', () => {
    const [call, last] = image;
    const preview = { ...last, output: { type: 'json', value: { result: 'preview' } } };
    expect(itemsOf([call, preview, preview, last])).toEqual([
      { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: png },
    ]);
  });

  it('that were denied have no item for the denial', () => {
    const [call, result] = calls('mcp.find', 'mcp_1', { value: null });
    for (const output of [
      { type: 'execution-denied', reason: 'no' },
      { type: 'json', value: { type: 'execution-denied', reason: 'no' } },
    ]) {
      const { body, warnings } = converse([call, { ...result, output }]);
      expect(body.input).toHaveLength(3);
      expect(warnings).toEqual([]);
    }
  });
});

describe('in the same turn, calls of the server', () => {
  const memory = createTurnMemory();
  const interpreter = {
    type: 'code_interpreter_call',
    id: 'ci_1',
    code: '1',
    container_id: 'cntr_1',
    outputs: [{ type: 'logs', logs: 'x' }],
    status: 'completed',
  };
  memory.received.add({ ...interpreter, created_by: 'x' });

  it.each([false, true])('are sent as they were received (store %s)', store => {
    expect(itemsOf(run, { store, memory })).toEqual([interpreter]);
    expect(converse(run, { store, memory }).warnings).toEqual([]);
  });
});

it('shows images of the assistant in the next message of the user', () => {
  const { body, warnings } = converse([{ type: 'file', data: png, mediaType: 'image/png' }]);
  expect(body.input[2]).toEqual({
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text: 'Images of the previous answer:' },
      { type: 'input_image', image_url: `data:image/png;base64,${png}` },
    ],
  });
  expect(warnings).toEqual([]);
});
