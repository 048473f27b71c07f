import { expect, it } from 'vitest';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import type { ToolSource } from '../../../src/tools/tool-source.js';
import {
  call,
  callRound,
  generate,
  type ScriptedModel,
  scriptedModel,
  stream,
  textRound,
} from '../_scripted-model.js';
import { scriptedTools } from '../_tools.js';
import { sourceOfTools } from './_toolbox.js';

const tool = (name: string, deferLoading = false) => ({
  name,
  inputSchema: { type: 'object' as const },
  ...(deferLoading && { deferLoading }),
});

const offeredBy = ({ requests }: ScriptedModel) =>
  requests.map(request => request.tools?.map(one => one.name));

it('offers no search when a listing has no deferred tool any more', async () => {
  const lists = [[tool('a'), tool('b', true)], [tool('a')]];
  const source: ToolSource = {
    ...sourceOfTools([]),
    listTools: async () => ({ tools: lists.shift() ?? [tool('a')], warnings: [] }),
  };
  const model = scriptedModel(callRound(call('c1', 'a', {})), textRound('Done.'));
  await stream(withToolLoop(model, { tools: source, toolSearch: 'client' }));
  expect(offeredBy(model)).toEqual([['a', 'search_tools'], ['a']]);
});

it.each([
  ['all tools', undefined],
  ['only active tools', ['a', 'read_tool_output']],
])('offers the tools of the loop itself before those of the source, with %s', async (_name, activeTools) => {
  const model = scriptedModel(textRound('Done.'));
  const loop = withToolLoop(model, {
    tools: scriptedTools({ a: () => 1 }),
    clearToolOutputs: { trigger: 1000 },
    ...(activeTools && { prepareRound: () => ({ activeTools }) }),
  });
  await stream(loop);
  expect(offeredBy(model)).toEqual([['read_tool_output', 'a']]);
});

it('gives its search another name than a tool of the host', async () => {
  const model = scriptedModel(textRound('Hi.'));
  const tools = scriptedTools({ pay: { execute: () => 'paid', deferLoading: true } });
  await generate(withToolLoop(model, { tools }), {
    tools: [{ type: 'function', name: 'search_tools', inputSchema: { type: 'object' } }],
  });
  expect(offeredBy(model)).toEqual([['search_tools', 'search_tools_2']]);
});
