import type { ModelMessage, ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { everyValue } from '../_products.js';
import { z } from 'zod';
import type { RawItem } from '../../src/testing/protocol/wire.js';
import { loopTools } from '../integration/_tools.js';
import {
  matchingHosts,
  mixedHosts,
  startSwitchedConversation,
  type SwitchedHost,
  type SwitchedTurn,
} from './_switched-conversation.js';

const modes = ['generate', 'stream'] as const;
const rowsOf = (hosts: readonly SwitchedHost[]) =>
  hosts.flatMap(host =>
    (matchingHosts.includes(host) ? modes : modes.slice(1)).map(mode => ({ host, ...host, mode })),
  );
const rows = rowsOf([...matchingHosts, ...mixedHosts]);
const TITLE = 'ai $ai ($version) with @ai-sdk/openai $official ($mode)';

/** Creates a tool as the official provider of the host creates it. */
const hostedTool = ({ ai }: SwitchedHost, name: string, args: Record<string, unknown> = {}): ToolSet => {
  const tool: unknown = {
    type: ai === 5 ? 'provider-defined' : 'provider',
    id: `openai.${name}`,
    name,
    args,
    isProviderExecuted: true,
    inputSchema: z.looseObject({}),
    outputSchema: z.unknown(),
  };
  return { [name]: tool } as ToolSet;
};

const hostedTools = (host: SwitchedHost): ToolSet => ({
  ...hostedTool(host, 'web_search'),
  ...hostedTool(host, 'code_interpreter', { container: 'cntr_1' }),
  ...hostedTool(host, 'file_search', { vectorStoreIds: ['vs_1'] }),
  ...hostedTool(host, 'image_generation'),
});

const webSearch = (id: string): RawItem => ({
  type: 'web_search_call',
  id,
  status: 'completed',
  action: { type: 'search', query: 'news' },
});
const codeInterpreter = (id: string): RawItem => ({
  type: 'code_interpreter_call',
  id,
  status: 'completed',
  code: '1 + 1',
  container_id: 'cntr_1',
  outputs: [{ type: 'logs', logs: '2' }],
});
const fileSearch = (id: string): RawItem => ({
  type: 'file_search_call',
  id,
  status: 'completed',
  queries: ['x'],
  results: [],
});
const imageGeneration = (id: string): RawItem => ({
  type: 'image_generation_call',
  id,
  status: 'completed',
  result: 'aGVsbG8=',
});
const compaction = (id: string): RawItem => ({ type: 'compaction', id, encrypted_content: `sealed ${id}` });

const idsOf = ({ inputs }: SwitchedTurn): unknown[] => (inputs[0] ?? []).map(({ id }) => id);
const messagesOf = ({ warnings }: SwitchedTurn): string => JSON.stringify(warnings);
const itemsOf = ({ inputs }: SwitchedTurn, type: string) =>
  (inputs[0] ?? []).filter(item => item.type === type);

const settings = everyValue(
  rows.flatMap(row => [true, false].flatMap(first => [true, false].map(store => ({ ...row, first, store })))),
);

describe.each(settings)(`${TITLE}, enabled: $first first, store: $store`, ({ host, mode, first, store }) => {
  it('hosted calls stay in the conversation', async () => {
    const conversation = await startSwitchedConversation({ host, openai: { store } });
    const tools = hostedTools(host);
    const turns = [first, !first, first, !first];
    for (const [turn, on] of turns.entries()) {
      conversation.emulator.enqueue([
        { reasoning: 'I search.' },
        webSearch(`ws_${turn}`),
        { reasoning: 'I calculate.' },
        codeInterpreter(`ci_${turn}`),
        fileSearch(`fs_${turn}`),
        imageGeneration(`ig_${turn}`),
        { text: `Answer ${turn}.` },
      ]);
      expect((await conversation.send('Search', { on, mode, tools })).text).toBe(`Answer ${turn}.`);
    }
    const last = await conversation.send('Thanks', { on: !first, mode, tools });
    const ids = idsOf(last);
    expect(new Set(ids.filter(id => id !== undefined)).size).toBe(ids.filter(id => id !== undefined).length);
    if (store) {
      for (const turn of turns.keys()) {
        for (const prefix of ['ws', 'ci', 'fs', 'ig']) expect(ids).toContain(`${prefix}_${turn}`);
      }
    } else if (last.by === 'official') {
      const isRebuilt = host.official > 2;
      for (const name of Object.keys(tools)) {
        const isSent = isRebuilt && name === 'web_search';
        if (isSent) expect(itemsOf(last, 'web_search_call')).toHaveLength(turns.length);
        else expect(messagesOf(last)).toContain(`Results for OpenAI tool ${name}`);
      }
    }
  });

  it('items without a function form are sent or reported', async () => {
    const conversation = await startSwitchedConversation({ host, openai: { store } });
    conversation.emulator.enqueue([{ reasoning: 'I think.' }, { text: 'Hello.' }, compaction('cmp_1')]);
    // Versions 2 and 3 of the official provider drop a compaction, or reject a response that contains one.
    await conversation.send('Hi', { on: first || host.official !== 4, mode });
    const ours = await conversation.send('Again', { on: true, mode });
    const official = await conversation.send('More', { on: false, mode });
    expect(ours.by).toBe('kelivo');
    expect(official.by).toBe('official');
    if (store) {
      expect(idsOf(ours)).toContain('cmp_1');
      expect(itemsOf(official, 'item_reference').filter(({ id }) => id === 'cmp_1')).toHaveLength(1);
      return;
    }
    const { type, id, encrypted_content } = compaction('cmp_1');
    expect(itemsOf(ours, 'compaction')).toEqual([{ type, id, encrypted_content }]);
    if (host.official === 4)
      expect(itemsOf(official, 'compaction')).toEqual([{ type, id, encrypted_content }]);
    else {
      expect(idsOf(official)).not.toContain('cmp_1');
      expect(messagesOf(official)).toMatch(
        new RegExp(`@ai-sdk/openai ${host.official} cannot send were left out of the history: compaction`),
      );
    }
  });
});

describe.each(everyValue(rows))(TITLE, ({ host, mode }) => {
  it('items that no version can send are reported, and sent again by this package', async () => {
    const conversation = await startSwitchedConversation({ host });
    conversation.emulator.enqueue([
      {
        type: 'tool_search_call',
        id: 'tsc_1',
        execution: 'server',
        call_id: null,
        status: 'completed',
        arguments: {},
      },
      {
        type: 'tool_search_output',
        id: 'tso_1',
        execution: 'server',
        call_id: null,
        status: 'completed',
        tools: [],
      },
      { text: 'Found.' },
    ]);
    await conversation.send('Find', { on: true, mode });
    const official = await conversation.send('More', { on: false, mode });
    expect(itemsOf(official, 'tool_search_call')).toEqual([]);
    expect(messagesOf(official)).toContain('left out of the history: tool_search_call, tool_search_output');
    const ours = await conversation.send('Again', { on: true, mode });
    expect(itemsOf(ours, 'tool_search_call')).toMatchObject([{ id: 'tsc_1' }]);
    expect(itemsOf(ours, 'tool_search_output')).toMatchObject([{ id: 'tso_1' }]);
  });
});

/** Adds the answer of the user to the last approval request of a history. */
function answer(messages: ModelMessage[], response: { approved: boolean; reason?: string }): void {
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : (content as object[])));
  const request = parts.findLast(part => 'type' in part && part.type === 'tool-approval-request');
  const approvalId = request !== undefined && 'approvalId' in request ? request.approvalId : undefined;
  expect(approvalId).toBeDefined();
  const content: unknown = [
    { type: 'tool-approval-response', approvalId, providerExecuted: true, ...response },
  ];
  messages.push({ role: 'tool', content } as ModelMessage);
}

const laterHosts = everyValue(rows.filter(({ version }) => version !== 'v2'));

describe.each(laterHosts)(`approvals: ${TITLE}`, ({ host, mode }) => {
  const request = {
    type: 'mcp_approval_request',
    server_label: 'docs',
    name: 'search',
    arguments: '{"q":1}',
  };
  const mcp = hostedTool(host, 'mcp', {
    serverLabel: 'docs',
    serverUrl: 'https://mcp.example.com/mcp',
    requireApproval: 'always',
  });

  it.each([true, false])(
    'a hosted server gets the answer from the other side (store: true, first %s)',
    async first => {
      const conversation = await startSwitchedConversation({ host, openai: { store: true } });
      conversation.emulator.enqueue(
        [{ reasoning: 'I ask.' }, { ...request, id: 'mcpr_1' }],
        [{ text: 'Done.' }],
      );
      await conversation.send('Search', { on: first, mode, tools: mcp });
      if (!first && host.official === 2) return;
      answer(conversation.messages, { approved: true });
      const done = await conversation.send(undefined, { on: !first, mode, tools: mcp });
      if (host.official === 2) return;
      expect(done.text).toBe('Done.');
      expect(itemsOf(done, 'mcp_approval_response')).toEqual([
        { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
      ]);
      expect(idsOf(done).filter(id => id === 'mcpr_1')).toHaveLength(1);
    },
  );

  it('an answer that cannot be sent is reported (store: false)', async () => {
    const conversation = await startSwitchedConversation({ host });
    conversation.emulator.enqueue([{ ...request, id: 'mcpr_1' }], [{ text: 'Done.' }]);
    await conversation.send('Search', { on: true, mode, tools: mcp });
    answer(conversation.messages, { approved: true });
    const done = await conversation.send(undefined, { on: false, mode, tools: mcp });
    expect(itemsOf(done, 'mcp_approval_response')).toEqual([]);
    expect(messagesOf(done)).toContain('The response to approval request mcpr_1 was not sent');
  });

  it.each([true, false])('a call of the tool loop does not run, approved: %s', async approved => {
    const conversation = await startSwitchedConversation({
      ...{ host, fallback: 'plain', tools: loopTools },
      toolLoop: { approvals: 'always', approve: 'host' },
    });
    conversation.emulator.enqueue(
      [{ call: 'find_book', arguments: { title: 'Momo' } }],
      [{ text: 'Sorry.' }],
    );
    await conversation.send('Find the book', { on: true, mode });
    answer(conversation.messages, approved ? { approved } : { approved, reason: 'Not today.' });
    const done = await conversation.send(undefined, { on: false, mode });
    expect(done.text).toBe('Sorry.');
    expect(itemsOf(done, 'mcp_approval_response')).toEqual([]);
    const outputs = JSON.stringify(itemsOf(done, 'function_call_output'));
    if (approved) expect(messagesOf(done)).toContain('The approved call of find_book was not run');
    else expect(outputs).toContain('Not today.');
    expect(outputs).not.toContain('shelf 7');
  });

  it.each([true, false])(
    'the loop around the official provider takes the answer, approved: %s',
    async approved => {
      const conversation = await startSwitchedConversation({
        ...{ host, tools: loopTools },
        toolLoop: { approvals: 'always', approve: 'host' },
      });
      conversation.emulator.enqueue(
        [{ call: 'find_book', arguments: { title: 'Momo' } }],
        [{ text: 'Done.' }],
      );
      await conversation.send('Find the book', { on: true, mode });
      answer(conversation.messages, approved ? { approved } : { approved, reason: 'Not today.' });
      const done = await conversation.send(undefined, { on: false, mode });
      expect(done).toMatchObject({ text: 'Done.', by: 'official' });
      expect(itemsOf(done, 'mcp_approval_response')).toEqual([]);
      const outputs = JSON.stringify(itemsOf(done, 'function_call_output'));
      expect(outputs).toContain(approved ? 'shelf 7' : 'Not today.');
      expect(outputs.includes('shelf 7')).toBe(approved);
    },
  );
});
