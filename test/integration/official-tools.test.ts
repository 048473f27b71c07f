import { openai as openai2 } from '@ai-sdk/openai';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { openai as openai3 } from 'openai3';
import { openai as openai4 } from 'openai4';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { createKelivoResponsesProvider as createProviderV3 } from '../../src/v3.js';
import { createKelivoResponsesProvider as createProviderV4 } from '../../src/v4.js';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';

type Json = Record<string, unknown>;

interface Round {
  /** The finished item of the call. */
  readonly item: Json;
  /** The item as it is announced. @default the finished item */
  readonly begun?: Json;
  /** Events between the announcement and the end, without `output_index`. */
  readonly events?: readonly Json[];
  readonly args?: Json;
  /** Returns the output of the host. */
  readonly execute: (input: never) => unknown;
  readonly input: unknown;
  /** The text of the input parts, if it is not the JSON of the input. */
  readonly inputText?: string;
  readonly sent: readonly Json[];
}

const check = { id: 'cu_sc_1', code: 'malicious_instructions', message: 'Look.' };
const screenshot = { type: 'computer_screenshot', imageUrl: 'https://a.org/1.png', detail: 'original' };
const shellCall = { type: 'shell_call', id: 'sh_1', call_id: 'call_1', environment: null };
const patchCall = { type: 'apply_patch_call', id: 'apc_1', call_id: 'call_1' };
const weather = { type: 'function', name: 'weather', parameters: { type: 'object' }, defer_loading: true };

const rounds = {
  localShell: {
    item: {
      type: 'local_shell_call',
      id: 'lsh_1',
      call_id: 'call_1',
      status: 'completed',
      action: {
        type: 'exec',
        command: ['ls', '-a'],
        env: { LANG: 'C' },
        timeout_ms: 9,
        working_directory: '/',
      },
    },
    execute: () => ({ output: 'a.txt' }),
    input: {
      action: {
        type: 'exec',
        command: ['ls', '-a'],
        timeoutMs: 9,
        workingDirectory: '/',
        env: { LANG: 'C' },
      },
    },
    sent: [
      {
        type: 'local_shell_call',
        call_id: 'call_1',
        action: {
          type: 'exec',
          command: ['ls', '-a'],
          env: { LANG: 'C' },
          timeout_ms: 9,
          working_directory: '/',
        },
      },
      { type: 'local_shell_call_output', call_id: 'call_1', output: 'a.txt' },
    ],
  },
  shell: {
    begun: { ...shellCall, status: 'in_progress', action: { commands: [] } },
    item: {
      ...shellCall,
      status: 'completed',
      action: { commands: ['echo "é"', 'pwd'], timeout_ms: null, max_output_length: 20 },
    },
    events: [
      { type: 'response.shell_call_command.added', command_index: 0, command: '' },
      { type: 'response.shell_call_command.delta', command_index: 0, delta: 'echo ' },
      { type: 'response.shell_call_command.delta', command_index: 0, delta: '"é"' },
      { type: 'response.shell_call_command.done', command_index: 0, command: 'echo "é"' },
      { type: 'response.shell_call_command.added', command_index: 1, command: '' },
      { type: 'response.shell_call_command.done', command_index: 1, command: 'pwd' },
    ],
    execute: () => ({
      maxOutputLength: 20,
      output: [
        { stdout: 'é', stderr: '', outcome: { type: 'exit', exitCode: 0 } },
        { stdout: '', stderr: 'late', outcome: { type: 'timeout' } },
      ],
    }),
    input: { action: { commands: ['echo "é"', 'pwd'], maxOutputLength: 20 } },
    sent: [
      {
        type: 'shell_call',
        call_id: 'call_1',
        action: { commands: ['echo "é"', 'pwd'], max_output_length: 20 },
      },
      {
        type: 'shell_call_output',
        call_id: 'call_1',
        max_output_length: 20,
        output: [
          { stdout: 'é', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
          { stdout: '', stderr: 'late', outcome: { type: 'timeout' } },
        ],
      },
    ],
  },
  applyPatch: {
    begun: {
      ...patchCall,
      status: 'in_progress',
      operation: { type: 'update_file', path: 'a.txt', diff: '' },
    },
    item: {
      ...patchCall,
      status: 'completed',
      operation: { diff: '@@\n-"a"\n+b', path: 'a.txt', type: 'update_file' },
    },
    events: [
      { type: 'response.apply_patch_call_operation_diff.delta', item_id: 'apc_1', delta: '@@\n-"' },
      { type: 'response.apply_patch_call_operation_diff.delta', item_id: 'apc_1', delta: 'a"\n' },
      { type: 'response.apply_patch_call_operation_diff.done', item_id: 'apc_1', diff: '@@\n-"a"\n+b' },
    ],
    execute: () => ({ status: 'failed', output: 'No such line.' }),
    input: { callId: 'call_1', operation: { type: 'update_file', path: 'a.txt', diff: '@@\n-"a"\n+b' } },
    sent: [
      {
        type: 'apply_patch_call',
        call_id: 'call_1',
        operation: { type: 'update_file', path: 'a.txt', diff: '@@\n-"a"\n+b' },
      },
      { type: 'apply_patch_call_output', call_id: 'call_1', status: 'failed', output: 'No such line.' },
    ],
  },
  customTool: {
    args: { description: 'Runs SQL' },
    item: { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'mine', input: 'SELECT "1"' },
    begun: { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'mine', input: '' },
    events: [
      { type: 'response.custom_tool_call_input.delta', item_id: 'ctc_1', delta: 'SELECT ' },
      { type: 'response.custom_tool_call_input.delta', item_id: 'ctc_1', delta: '"1"' },
    ],
    execute: () => 'one row',
    input: 'SELECT "1"',
    inputText: 'SELECT "1"',
    sent: [
      { type: 'custom_tool_call', call_id: 'call_1', name: 'mine', input: 'SELECT "1"' },
      { type: 'custom_tool_call_output', call_id: 'call_1', output: 'one row' },
    ],
  },
  toolSearch: {
    args: { execution: 'client', parameters: { type: 'object', properties: { goal: { type: 'string' } } } },
    item: {
      type: 'tool_search_call',
      id: 'tsc_1',
      call_id: 'call_1',
      execution: 'client',
      status: 'completed',
      arguments: { goal: 'rain' },
    },
    execute: () => ({ tools: [weather] }),
    input: { arguments: { goal: 'rain' }, call_id: 'call_1' },
    sent: [
      {
        type: 'tool_search_call',
        call_id: 'call_1',
        execution: 'client',
        status: 'completed',
        arguments: { goal: 'rain' },
      },
      {
        type: 'tool_search_output',
        call_id: 'call_1',
        execution: 'client',
        status: 'completed',
        tools: [weather],
      },
    ],
  },
  computer: {
    item: {
      type: 'computer_call',
      id: 'cu_1',
      call_id: 'call_1',
      status: 'completed',
      action: null,
      actions: [
        { type: 'click', button: 'left', x: 1, y: 2, keys: null },
        { type: 'scroll', x: 1, y: 2, scroll_x: 0, scroll_y: -3 },
      ],
      pending_safety_checks: [{ ...check, message: null }],
    },
    execute: () => ({ output: screenshot, acknowledgedSafetyChecks: [check] }),
    input: {
      actions: [
        { type: 'click', button: 'left', x: 1, y: 2 },
        { type: 'scroll', x: 1, y: 2, scrollX: 0, scrollY: -3 },
      ],
      pendingSafetyChecks: [{ id: 'cu_sc_1', code: 'malicious_instructions' }],
      status: 'completed',
    },
    sent: [
      {
        type: 'computer_call',
        id: 'cu_1',
        call_id: 'call_1',
        status: 'completed',
        actions: [
          { type: 'click', button: 'left', x: 1, y: 2 },
          { type: 'scroll', x: 1, y: 2, scroll_x: 0, scroll_y: -3 },
        ],
        pending_safety_checks: [{ id: 'cu_sc_1', code: 'malicious_instructions' }],
      },
      {
        type: 'computer_call_output',
        call_id: 'call_1',
        output: { type: 'computer_screenshot', image_url: 'https://a.org/1.png', detail: 'original' },
        acknowledged_safety_checks: [check],
      },
    ],
  },
} satisfies Record<string, Round>;

type ToolName = keyof typeof rounds;

// The types of the major versions differ. The tools have the same shape at run time.
type Sdk = typeof ai5;
type Tools = Record<ToolName, (options: Json) => ai5.Tool>;

const hosts = [
  { major: 5, sdk: ai5, tools: openai2.tools, names: ['localShell'], create: createKelivoResponsesProvider },
  {
    major: 6,
    sdk: ai6,
    tools: openai3.tools,
    names: ['localShell', 'shell', 'applyPatch', 'customTool', 'toolSearch'],
    create: createProviderV3,
  },
  {
    major: 7,
    sdk: ai7,
    tools: openai4.tools,
    names: ['localShell', 'shell', 'applyPatch', 'customTool', 'toolSearch', 'computer'],
    create: createProviderV4,
  },
] as const;

const cases = hosts.flatMap(({ major, sdk, tools, names, create }) =>
  names.map(name => ({
    title: `ai ${major}: ${name}`,
    major,
    sdk: sdk as unknown as Sdk,
    define: (tools as unknown as Tools)[name],
    create: create as typeof createKelivoResponsesProvider,
    round: rounds[name] as Round,
  })),
);

/** Answers the first request with a call and the second with a text. */
const startServer = ({ item, begun = item, events = [] }: Round) =>
  serve((response, { body }) => {
    const isFirst = !JSON.stringify(body.input).includes('_output');
    const message = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
    };
    const output = [isFirst ? item : message];
    const result = { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-5', output };
    if (body.stream !== true) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(result));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    response.end(
      toSse([
        { type: 'response.created', response: { ...result, status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item: isFirst ? begun : message },
        ...(isFirst ? events.map(event => ({ output_index: 0, ...event })) : []),
        { type: 'response.output_item.done', output_index: 0, item: output[0] },
        { type: 'response.completed', response: result },
      ]),
    );
  });

describe.each(cases)('$title', ({ major, sdk, define, create, round }) => {
  async function start() {
    const server = await startServer(round);
    const inputs: unknown[] = [];
    const mine = define({
      ...round.args,
      ...(major === 6 && round.args?.description !== undefined && { name: 'mine' }),
      execute: (input: never) => {
        inputs.push(input);
        return round.execute(input);
      },
    });
    const model = create({ baseURL: server.url, apiKey: 'key' })('gpt-5') as ai5.LanguageModel;
    return {
      server,
      inputs,
      options: { model, prompt: 'Go', tools: { mine }, stopWhen: sdk.stepCountIs(3) },
    };
  }

  it('executes the call of a stream and sends its output', async () => {
    const { server, inputs, options } = await start();
    const errors: unknown[] = [];
    const result = sdk.streamText({ ...options, onError: ({ error }) => void errors.push(error) });
    const deltas: string[] = [];
    for await (const part of result.fullStream) {
      if (part.type === 'tool-input-delta') deltas.push(part.delta);
    }
    expect(errors).toEqual([]);
    expect(await result.text).toBe('Done.');
    expect(inputs).toEqual([round.input]);
    expect(deltas.join('')).toBe(round.inputText ?? JSON.stringify(round.input));
    // One more delta can complete the input.
    expect(deltas.length).toBeGreaterThanOrEqual(
      round.events?.filter(({ delta }) => delta !== undefined).length ?? 1,
    );
    expect(server.requests[1]?.body.input).toMatchObject([{ role: 'user' }, ...round.sent]);
  });

  it('executes the call of a response that is not streamed', async () => {
    const { server, inputs, options } = await start();
    const { text } = await sdk.generateText(options);
    expect(text).toBe('Done.');
    expect(inputs).toEqual([round.input]);
    expect(server.requests[1]?.body.input).toMatchObject([{ role: 'user' }, ...round.sent]);
  });
});
