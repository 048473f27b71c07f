import { describe, expect, it, onTestFinished } from 'vitest';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import * as z from 'zod';
import type { KelivoResponsesSettings } from '../../src/index.js';
import * as v3 from '../../src/v3.js';
import * as v4 from '../../src/v4.js';
import { startEmulator } from '../testing/_emulator.js';

type Json = Readonly<Record<string, unknown>>;

const hosts = [
  { ai: 6, sdk: ai6 as unknown as typeof ai7, create: v3.createKelivoResponsesProvider },
  { ai: 7, sdk: ai7, create: v4.createKelivoResponsesProvider },
];

describe.each(hosts)('agentSettings under ai $ai', ({ ai, sdk, create }) => {
  /** Runs an agent whose model calls the tool `write` in `rounds` rounds. */
  async function run(
    toolLoop: KelivoResponsesSettings['toolLoop'] = {},
    {
      rounds = 2,
      write = () => 'written' as unknown,
      options = {} as object,
      turnId = undefined as string | undefined,
    } = {},
  ) {
    const emulator = await startEmulator();
    for (let round = 0; round < rounds; round++)
      emulator.enqueue([{ call: 'write', arguments: { round }, call_id: `call_${round}` }]);
    emulator.enqueue([{ text: 'Done.' }]);
    const effects: unknown[] = [];
    const provider = create({
      ...{ baseURL: emulator.baseURL, toolLoop },
      tools: {
        write: {
          inputSchema: z.object({ round: z.number() }),
          execute(input) {
            effects.push(input.round);
            return write();
          },
        },
      },
    });
    onTestFinished(() => provider.close());
    const prepared: number[] = [];
    const { prepareStep, ...settings } = await provider.agentSettings({ turnId });
    const agent = new sdk.ToolLoopAgent({
      model: provider('gpt-5') as never,
      ...(settings as object),
      ...options,
      prepareStep(options: never) {
        prepared.push((options as { stepNumber: number }).stepNumber);
        return prepareStep(options);
      },
    } as never);
    const { steps, text } = await agent.generate({ prompt: 'Write.' });
    const content = steps.flatMap(step => step.content as unknown as Json[]);
    const bodies = emulator.requests.map(
      ({ body }) => body as { tools?: Json[]; tool_choice?: unknown; input: Json[] },
    );
    const outputs = bodies.at(-1)?.input.filter(({ type }) => type === 'function_call_output');
    const warnings = steps.flatMap(step => step.warnings ?? []);
    return { steps, text, effects, prepared, content, bodies, outputs, warnings };
  }

  it('shows each round as a step and each call as one of the host, once', async () => {
    const { steps, text, effects, prepared, content, bodies, warnings } = await run();
    expect(warnings).toEqual([]);
    expect(text).toBe('Done.');
    expect(steps).toHaveLength(3);
    expect(prepared).toEqual([0, 1, 2]);
    expect(bodies).toHaveLength(3);
    expect(effects).toEqual([0, 1]);
    // The loop of the provider does not offer the tool, too.
    for (const { tools } of bodies) expect(tools?.map(({ name }) => name)).toEqual(['write']);
    const calls = content.filter(({ type }) => type === 'tool-call');
    expect(calls.map(({ providerExecuted }) => providerExecuted === true)).toEqual([false, false]);
  });

  it('offers and runs no tool in a step from which the host leaves out all of them', async () => {
    const emulator = await startEmulator();
    emulator.enqueue([{ text: 'Done.' }]);
    const tools = { write: { inputSchema: z.object({}), execute: () => 'written' } };
    const provider = create({ baseURL: emulator.baseURL, tools });
    onTestFinished(() => provider.close());
    const settings = (await provider.agentSettings()) as object;
    const agent = new sdk.ToolLoopAgent({
      model: provider('gpt-5') as never,
      ...settings,
      activeTools: [],
    } as never);
    const { warnings } = await agent.generate({ prompt: 'Write.' });
    expect(emulator.requests.map(({ body }) => (body as { tools?: Json[] }).tools ?? [])).toEqual([[]]);
    expect(warnings ?? []).toEqual([]);
  });

  it.each([
    ['maxRounds', { maxRounds: 2 }],
    ['maxToolCalls', { maxToolCalls: 1 }],
  ])('ends with an answer after %s', async (_, toolLoop) => {
    const { bodies, effects, text } = await run(toolLoop, { rounds: 1 });
    expect(bodies.map(({ tool_choice: choice }) => choice)).toEqual(['auto', 'none']);
    expect(effects).toEqual([0]);
    expect(text).toBe('Done.');
  });

  it('runs no call of a model that ignores the limit', async () => {
    const effects: unknown[] = [];
    const write = () => effects.push('written');
    // The host rejects a response with calls that it has forbidden.
    await expect(run({ maxRounds: 3 }, { rounds: 9, write })).rejects.toThrow(/tool choice was none/);
    expect(effects).toHaveLength(2);
  });

  it('applies the approvals of the loop', async () => {
    const refused = await run({
      approvals: 'always',
      approve: () => ({ approved: false, reason: 'Not today.' }),
    });
    expect(refused.effects).toEqual([]);
    expect(JSON.stringify(refused.outputs)).toContain('Not today.');
    const approved = await run({ approvals: 'always', approve: () => true });
    expect(approved.effects).toEqual([0, 1]);
    const nobody = await run({ approvals: 'always' });
    expect(nobody.effects).toEqual([]);
    expect(JSON.stringify(nobody.outputs)).toContain('`approve` is not set');
    const asked = await run({ approvals: 'always', approve: 'host' });
    expect(asked.effects).toEqual([]);
    expect(asked.content).toContainEqual(expect.objectContaining({ type: 'tool-approval-request' }));
  });

  it.each(['booking-7', undefined])(
    'tells approvals the id of the run, or that of the call (%s)',
    async id => {
      const asked: boolean[] = [];
      const isAsOf = (call: { readonly turnId: string; readonly toolCallId: string }): boolean =>
        asked.push(call.turnId === (id ?? call.toolCallId)) > 0;
      await run({ approvals: isAsOf, approve: isAsOf }, { turnId: id });
      expect(asked).toEqual([true, true, true, true]);
    },
  );

  // `ai` 6 has no `toolApproval`.
  (ai === 7 ? it : undefined)?.('leaves the last word to `toolApproval` of the application', async () => {
    const denied = await run(
      { approvals: 'always', approve: 'host' },
      { options: { toolApproval: { write: { type: 'denied', reason: 'Not by me.' } } } },
    );
    expect(denied.effects).toEqual([]);
    expect(JSON.stringify(denied.outputs)).toContain('Not by me.');
    const approved = await run(
      { approvals: 'always', approve: 'host' },
      { options: { toolApproval: { write: 'approved' } } },
    );
    expect(approved.effects).toEqual([0, 1]);
  });

  it('limits outputs as the loop does, and reports failures to the model', async () => {
    const long = await run({ maxToolOutputChars: 200 }, { rounds: 1, write: () => 'x'.repeat(10_000) });
    expect(String(long.outputs?.[0]?.output).length).toBeLessThan(400);
    const own = await run(
      { maxToolOutputChars: { default: 200, tools: { write: 1000 } } },
      { rounds: 1, write: () => 'x'.repeat(10_000) },
    );
    expect(String(own.outputs?.[0]?.output).length).toBeGreaterThan(800);
    const failing = await run({}, { rounds: 1, write: () => Promise.reject(new Error('Disk full.')) });
    expect(JSON.stringify(failing.outputs)).toContain('Disk full.');
    expect(failing.text).toBe('Done.');
  });
});

it('has no tools without any in the settings', async () => {
  const { tools, prepareStep, stopWhen } = await v4
    .createKelivoResponsesProvider({ apiKey: 'k' })
    .agentSettings();
  expect(tools).toEqual({});
  expect(prepareStep({ stepNumber: 0, steps: [] })).toEqual({});
  expect(stopWhen({ steps: [] })).toBe(false);
});
