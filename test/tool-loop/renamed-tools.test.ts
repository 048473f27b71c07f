import type { LanguageModelV2FunctionTool, LanguageModelV2Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { toToolStubs } from '../../src/tools/tool-stubs.js';
import { createToolbox } from '../../src/tools/toolbox.js';
import type { ToolSource } from '../../src/tools/tool-source.js';
import { withPendingWarnings } from '../../src/provider/composition.js';
import { call, callRound, ofType, scriptedModel, stream, textRound, user } from './_scripted-model.js';

/** A server whose tools can change. Each call is added to `ran`. */
const server = (name: string, tools: readonly string[], ran: string[]): ToolSource => ({
  name,
  listTools: async () => ({
    tools: tools.map(tool => ({
      name: tool,
      server: name,
      originalName: tool,
      inputSchema: { type: 'object' },
    })),
    warnings: [],
  }),
  async callTool({ originalName }) {
    ran.push(`${name} ${originalName}`);
    return { type: 'text', value: 'done' };
  },
  close: async () => {},
});

/** The declarations of the tools as `ai` passes them to a model. */
async function stubsOf(source: ToolSource): Promise<LanguageModelV2FunctionTool[]> {
  const stubs = await toToolStubs(withPendingWarnings(source), {
    needsApproval: ['read', 'wipe', 'search'],
  });
  return Object.entries(stubs).map(([name, { inputSchema, providerOptions }]) => ({
    type: 'function',
    name,
    inputSchema: z.toJSONSchema(inputSchema) as LanguageModelV2FunctionTool['inputSchema'],
    providerOptions,
  }));
}

/** A history in which a call has the name of one tool and the identity of another. */
const history = (toolName: string, tool: { server: string; name: string }): LanguageModelV2Prompt => [
  ...user('Go.'),
  {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'c0', toolName, input: {}, providerOptions: { kelivo: { tool } } },
    ],
  },
  ...user('Go on.'),
];

async function run(
  source: ToolSource,
  called: string,
  options: { prompt?: LanguageModelV2Prompt; tools?: LanguageModelV2FunctionTool[]; toolApproval?: object },
) {
  const { toolApproval, ...rest } = options;
  const model = scriptedModel(callRound(call('c1', called)), textRound('Done.'));
  const providerOptions = { kelivo: { toolApproval: toolApproval as never } };
  return stream(withToolLoop(model, { tools: source }), { ...rest, providerOptions });
}

describe('a tool that has another name than the host knows', () => {
  it.each([
    ['an earlier name of it', 'read', history('read', { server: 'b', name: 'wipe' })],
    ['a name with the server', 'b_wipe', history('wipe', { server: 'a', name: 'read' })],
  ])('needs the approval of its stub and of `toolApproval`: %s', async (_, called, prompt) => {
    const ran: string[] = [];
    const source = createToolbox([server('a', ['read'], ran), server('b', ['wipe'], ran)]);
    await run(source, called, { prompt, tools: await stubsOf(source) });
    await run(source, called, { prompt, toolApproval: { wipe: 'denied' } });
    await run(source, called, { prompt, toolApproval: { wipe: () => 'user-approval' } });
    expect(ran).toEqual([]);
  });

  it('needs the approval of its stub after another server got a tool of the same name', async () => {
    const ran: string[] = [];
    const later: string[] = [];
    const source = createToolbox([server('a', ['search'], ran), server('b', later, ran)]);
    const tools = await stubsOf(source);
    later.push('search');
    await run(source, 'search', { tools });
    await run(source, 'a_search', { tools });
    expect(ran).toEqual([]);
  });

  it('is not approved by an entry of `toolApproval` for its original name', async () => {
    const ran: string[] = [];
    const source = createToolbox([server('a', ['search'], ran), server('b', ['search'], ran)]);
    const model = scriptedModel(callRound(call('c1', 'b_search')), textRound('Done.'));
    await stream(withToolLoop(model, { tools: source, approvals: 'always' }), {
      providerOptions: { kelivo: { toolApproval: { search: 'approved' } } },
    });
    expect(ran).toEqual([]);
  });

  it('is called by its current name', async () => {
    const ran: string[] = [];
    const source = createToolbox([server('a', ['read'], ran), server('b', ['wipe'], ran)]);
    const parts = await run(source, 'read', { prompt: history('read', { server: 'b', name: 'wipe' }) });
    expect(ran).toEqual(['b wipe']);
    expect(ofType(parts, 'tool-result')).toMatchObject([{ toolName: 'wipe' }]);
  });
});
