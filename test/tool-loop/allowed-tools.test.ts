import { expect, it } from 'vitest';
import * as z from 'zod';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { call, callRound, exchangeOf, scriptedModel, stream, textRound } from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const providerOptions = { openai: { allowedTools: { toolNames: ['list'], mode: 'required' } } };

it('runs no tool outside of the allowed ones, even if the server lets the model call it', async () => {
  const tools = scriptedTools({ list: () => 'listed', remove: () => 'removed' });
  const model = scriptedModel(callRound(call('c1', 'list'), call('c2', 'remove')), textRound('Done.'));
  await stream(withToolLoop(model, { tools }), { providerOptions });
  expect(tools.calls.map(({ toolName }) => toolName)).toEqual(['list']);
  expect(exchangeOf(model.requests[1]).outputs).toEqual([
    ['c1', 'listed'],
    ['c2', 'The tool "remove" is not allowed in this call. Allowed tools: list.'],
  ]);
});

it('runs only tools that the restrictions of all namespaces allow', async () => {
  const tools = scriptedTools({ list: () => 'listed', remove: () => 'removed' });
  const model = scriptedModel(callRound(call('c1', 'list'), call('c2', 'remove')), textRound('Done.'));
  await stream(withToolLoop(model, { tools }), {
    providerOptions: {
      openai: { allowedTools: { toolNames: ['list', 'remove'] } },
      azure: { allowedTools: { toolNames: ['list'] } },
    },
  });
  expect(tools.calls.map(({ toolName }) => toolName)).toEqual(['list']);
});

it('keeps the restriction in later rounds, under the current names of the tools', async () => {
  const tools = scriptedTools({ files_list: () => 'listed' });
  const listed = await tools.listTools();
  const renamed = {
    ...tools,
    listTools: async () => ({ ...listed, aliases: new Map([['list', listed.tools[0]]]) }),
  };
  const model = scriptedModel(callRound(call('c1', 'files_list')), textRound('Done.'));
  await stream(withToolLoop(model, { tools: renamed }), { providerOptions });
  expect(tools.calls).toHaveLength(1);
  for (const request of model.requests) {
    expect(request.providerOptions?.openai).toEqual({
      allowedTools: { toolNames: ['files_list'], mode: 'required' },
    });
  }
});

it('passes the provider options of local tools to the model', async () => {
  const openai = { allowedCallers: ['programmatic'] };
  const tools = createLocalTools({
    list: { inputSchema: z.object({}), execute: () => 'listed', providerOptions: { openai } },
  });
  const model = scriptedModel(textRound('Done.'));
  await stream(withToolLoop(model, { tools }));
  expect(model.requests[0]?.tools).toMatchObject([{ name: 'list', providerOptions: { openai } }]);
});
