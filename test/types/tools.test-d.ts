// Checked by the compiler, in `npm run typecheck`: tools and tool sources.
import { tool } from 'ai';
import { tool as toolOf6 } from 'ai6';
import { tool as toolOf7 } from 'ai7';
import { createKelivoResponsesProvider, type ToolLoopEvent } from 'kelivo-responses';
import { createMcpTools, type McpConnectionPool, type McpServers } from 'kelivo-responses/mcp';
import { type GivenTools, type ToolSource, withToolLoop } from 'kelivo-responses/tool-loop';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';

const inputSchema = z.object({ city: z.string() });
const execute = async ({ city }: { city: string }) => `Sunny in ${city}`;

test('tools of all major versions of `ai` are local tools', () => {
  expectTypeOf({ weather: tool({ inputSchema, execute }) }).toExtend<GivenTools>();
  expectTypeOf({ weather: toolOf6({ inputSchema, execute }) }).toExtend<GivenTools>();
  expectTypeOf({ weather: toolOf7({ inputSchema, execute }) }).toExtend<GivenTools>();
  expectTypeOf({ weather: { ...tool({ inputSchema, execute }), readOnly: true } }).toExtend<GivenTools>();
  expectTypeOf([{ weather: tool({ inputSchema, execute }) }, createMcpTools({})]).toExtend<GivenTools>();
});

test('MCP tools are a tool source', () => {
  expectTypeOf(createMcpTools).returns.toExtend<ToolSource>();
  expectTypeOf(createKelivoResponsesProvider).toBeCallableWith({ mcpServers: createMcpTools({}) });
});

test('a server has a command or a URL', () => {
  expectTypeOf<{ files: { command: string } }>().toExtend<McpServers>();
  expectTypeOf<{ search: { url: string; headers: Record<string, string> } }>().toExtend<McpServers>();
  expectTypeOf<{ nothing: { args: string[] } }>().not.toExtend<McpServers>();
});

test('internal members are not part of the types', () => {
  expectTypeOf<keyof McpConnectionPool>().toEqualTypeOf<'close'>();
});

test('a tool loop requires tools and a model', () => {
  const model = createKelivoResponsesProvider().responses('gpt-5');
  expectTypeOf(withToolLoop(model, { tools: {} })).toExtend<typeof model>();
  // @ts-expect-error No tools.
  withToolLoop(model, {});
  // @ts-expect-error An id is not a model.
  withToolLoop('gpt-5', { tools: [] });
  expectTypeOf(withToolLoop.middleware).parameter(0).toHaveProperty('tools');
});

test('events are a union discriminated by type', () => {
  expectTypeOf<Extract<ToolLoopEvent, { type: 'tool-end' }>>().toHaveProperty('duration');
  expectTypeOf<Extract<ToolLoopEvent, { type: 'round-start' }>>().not.toHaveProperty('duration');
});
