import type { ToolSet } from 'ai';
import { afterAll, describe, expect, it } from 'vitest';
import { createMcpTools } from '../../src/tools/mcp/index.js';
import { everyNth, everyValue } from '../_products.js';
import { hostTools, loopTools } from '../integration/_tools.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import {
  matchingHosts,
  mixedHosts,
  type Mode,
  startSwitchedConversation,
  type SwitchedTurn,
} from './_switched-conversation.js';

const mcpServers = createMcpTools({ everything: everythingOverStdio() });
afterAll(() => mcpServers.close());

const modes = ['generate', 'stream'] as const;
const fallbacks = ['plain', 'with-tool-loop'] as const;
const casesOf = (hosts: typeof matchingHosts, testedModes: readonly Mode[]) =>
  hosts.flatMap(host =>
    [true, false].flatMap(first =>
      testedModes.flatMap(mode => fallbacks.map(fallback => ({ host, ...host, first, mode, fallback }))),
    ),
  );
const cases = [...casesOf(matchingHosts, modes), ...casesOf(mixedHosts, ['stream'])];
const declarations = ['declared', 'undeclared'] as const;

const sumOf = (a: number, b: number) => `The sum of ${a} and ${b} is ${a + b}.`;
const typesOf = ({ inputs }: SwitchedTurn, request = 0) =>
  inputs[request]?.map(({ type, role }) => (role === undefined ? type : role));

const title =
  'ai $ai ($version) with @ai-sdk/openai $official, starts with enabled: $first ($mode, $fallback)';

describe('a conversation that is switched between turns', () => {
  it.each(everyValue(cases.flatMap(row => declarations.map(declaration => ({ ...row, declaration })))))(
    `continues in both directions with MCP calls of $declaration tools, host tools and reasoning: ${title}`,
    async ({ host, first, mode, fallback, declaration }) => {
      const hasLoop = (on: boolean) => on || fallback === 'with-tool-loop';
      const conversation = await startSwitchedConversation({ host, fallback, mcpServers });
      const stubs: ToolSet = declaration === 'declared' ? await conversation.provider.tools() : {};
      const tools = { ...hostTools, ...stubs };
      const turns = [first, !first, first];
      for (const [turn, on] of turns.entries()) {
        const prompt = `Use get-sum with ${turn} and 3, then get_weather in Oslo`;
        const response = await conversation.send(prompt, { on, mode, tools });
        expect(response.by).toBe(on ? 'kelivo' : 'official');
        expect(response.finishReason).toBe('stop');
        expect(response.text).toContain('Oslo: 18 degrees');
        // Without the loop, the host runs the declared tools.
        expect(response.text.includes(sumOf(turn, 3))).toBe(hasLoop(on) || declaration === 'declared');
      }
      const last = await conversation.send('Thanks', { on: !first, mode });
      const sent = JSON.stringify(last.inputs);
      // Also calls of undeclared tools, which the host does not know.
      const outputs = last.inputs[0]?.filter(({ type }) => type === 'function_call_output') ?? [];
      for (const [turn, on] of turns.entries()) {
        if (hasLoop(on)) expect(JSON.stringify(outputs)).toContain(sumOf(turn, 3));
      }
      expect(sent.match(/"type":"reasoning"/g)?.length).toBeGreaterThanOrEqual(6);
    },
  );

  it.each(everyNth(everyValue(cases), 3))(
    `continues with reasoning of several parts: ${title}`,
    async ({ host, first, mode, fallback }) => {
      const conversation = await startSwitchedConversation({ host, fallback });
      for (const on of [first, !first, first]) {
        conversation.emulator.enqueue([
          { reasoning: ['**One**\n\nFirst.', '**Two**\n\nThen.'] },
          { text: `Said ${on}.` },
        ]);
        expect((await conversation.send('Think', { on, mode })).text).toBe(`Said ${on}.`);
      }
      const last = await conversation.send('And?', { on: !first, mode });
      expect(typesOf(last)).toEqual([
        ...['user', 'reasoning', 'assistant'],
        ...['user', 'reasoning', 'assistant'],
        ...['user', 'reasoning', 'assistant', 'user'],
      ]);
    },
  );

  it.each(everyNth(everyValue(cases), 3))(
    `continues if the caller asks the server to store responses: ${title}`,
    async ({ host, first, mode, fallback }) => {
      const conversation = await startSwitchedConversation({
        ...{ host, fallback },
        tools: loopTools,
        openai: { store: true },
      });
      const tools = { ...hostTools, ...(await conversation.provider.tools()) };
      for (const on of [first, !first, first]) {
        const response = await conversation.send('Use find_book "Momo", then get_weather in Rome', {
          on,
          mode,
          tools,
        });
        expect(response.text).toContain('Rome: 18 degrees');
        // Without the loop, the host runs the declared tools.
        expect(response.text).toContain('shelf 7');
      }
    },
  );
});

describe.each(['generate', 'stream'] satisfies Mode[])('by %s', mode => {
  it('completes a turn that is switched between two steps', async () => {
    const conversation = await startSwitchedConversation({ tools: loopTools });
    const tools = { get_weather: { ...hostTools.get_weather, execute: undefined } };
    await conversation.send('Use find_book "Momo" and get_weather in Rome', { on: true, mode, tools });
    const parts = conversation.messages.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string' ? content : [],
    );
    const call = parts.find(part => part.type === 'tool-call' && part.toolName === 'get_weather');
    const toolCallId = call?.type === 'tool-call' ? call.toolCallId : '';
    const output = { type: 'text' as const, value: 'Rain' };
    conversation.messages.push({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId, toolName: 'get_weather', output }],
    });
    const { text, by } = await conversation.send('Go on', { on: false, mode, tools });
    expect({ text, by }).toEqual({ text: 'You said: Go on', by: 'official' });
  });
});
