import { afterAll, describe, expect, it } from 'vitest';
import * as ai7 from 'ai7';
import { createJournal, createSqliteStore } from '../../src/tool-loop/durable/index.js';
import { createSteering, toolLoopCallOptions } from '../../src/tool-loop/index.js';
import { shareEverythingTools } from '../tools/mcp/_everything-server.js';
import {
  callOf,
  createCounters,
  type Form,
  forms,
  type Host,
  hosts,
  type Json,
  runTurn,
  type Scene,
  type Seen,
  startScene,
  type Step,
} from './_forms.js';

/*
 * The same turns in the three forms: as one step, in steps whose tools the provider runs, and in the loop of the host. What
 * an application sees is what happened, and each effect happened once.
 */

const everything = shareEverythingTools();

/** The steps and requests of a turn, by what happens. */
interface Happened {
  /** Rounds that the server answered. */
  readonly rounds: number;
  readonly calls: number;
  /** Calls of the host. @default 1 */
  readonly turns?: number;
  /** Further requests. @default none */
  readonly repeated?: number;
  readonly effects?: number;
}

/** Returns what an application has to see. */
function toExpected(
  form: Form,
  { ai }: Pick<Host, 'ai'>,
  { rounds, calls, turns = 1, repeated = 0, effects = calls }: Happened,
): Seen {
  const steps = form === 'one step' ? turns : rounds;
  const executions = form === 'host' ? calls : 0;
  return {
    steps,
    requests: rounds + repeated,
    stepsFinished: steps,
    executions,
    telemetry: ai === 7 ? [steps, steps, executions] : [0, 0, 0],
    effects,
    text: 'Done.',
  };
}

async function observe(
  scene: Scene,
  run: (options: object) => Promise<Step[]>,
): Promise<Seen & { all: Step[] }> {
  const { options, seen } = createCounters();
  const all = await run(options);
  const observed: Seen = {
    steps: all.length,
    requests: scene.emulator.requests.length,
    ...seen(),
    effects: (await scene.effects()).length,
    text: all.at(-1)?.text ?? '',
  };
  rows[expect.getState().currentTestName ?? ''] = { ...observed, telemetry: observed.telemetry.join(', ') };
  return { ...observed, all };
}

/** Observations by turn, printed with `FORMS_TABLE=1`. Telemetry counts steps, requests and executions. */
const rows: Record<string, object> = {};
afterAll(() => {
  if (process.env.FORMS_TABLE === '1') console.table(rows);
});

/** Returns the texts that the model received with the last request. */
const lastInput = ({ emulator }: Pick<Scene, 'emulator'>): string =>
  JSON.stringify((emulator.requests.at(-1)?.body as Json).input);

describe.each(hosts)('ai $ai', host => {
  describe.each(forms)('tools run in the form "%s"', form => {
    const expected = (happened: Happened) => toExpected(form, host, happened);

    it.each([true, false])('an answer without tools (stream: %s)', async isStream => {
      const scene = await startScene(host, { script: [[{ text: 'Done.' }]] });
      const { all, ...seen } = await observe(scene, options => runTurn(scene, form, { options, isStream }));
      expect(seen).toEqual(expected({ rounds: 1, calls: 0 }));
      expect(all[0]?.finishReason).toBe('stop');
    });

    it.each([true, false])('three rounds with calls, two of them in one (stream: %s)', async isStream => {
      const script = [[callOf('a')], [callOf('b'), callOf('c')], [{ text: 'Done.' }]];
      const scene = await startScene(host, { script });
      const { all, ...seen } = await observe(scene, options => runTurn(scene, form, { options, isStream }));
      expect(seen).toEqual(expected({ rounds: 3, calls: 3 }));
      // A host runs the calls of a step together.
      const effects = await scene.effects();
      expect(form === 'host' ? effects.sort() : effects).toEqual(['a', 'b', 'c']);
      // The usage of the steps is that of the rounds.
      const inputs = all.map(({ usage }) => Number(usage.inputTokens));
      const rounds = all.map(({ providerMetadata }) => providerMetadata?.kelivo?.rounds as { usage: Json }[]);
      if (form === 'provider')
        expect(inputs).toEqual(rounds.flatMap(ofStep => ofStep.map(({ usage }) => usage.inputTokens)));
      const results = all.flatMap(({ content }) => content.filter(({ type }) => type === 'tool-result'));
      const outputs = results.map(({ output }) => output);
      expect(form === 'host' ? outputs.sort() : outputs).toEqual(['wrote a', 'wrote b', 'wrote c']);
    });

    it('tools of an MCP server', async () => {
      const script = [[{ call: 'echo', arguments: { message: 'Hi.' } }], [{ text: 'Done.' }]];
      const scene = await startScene(host, { script, mcpServers: everything });
      const { all: _, ...seen } = await observe(scene, options => runTurn(scene, form, { options }));
      expect(seen).toEqual(expected({ rounds: 2, calls: 1, effects: 0 }));
      expect(lastInput(scene)).toContain('Echo: Hi.');
    });

    it('an approval that the host asks for', async () => {
      const scene = await startScene(host, {
        script: [[callOf('a')], [{ text: 'Done.' }]],
        toolLoop: { approve: 'host', approvals: 'always' },
      });
      const { all, ...seen } = await observe(scene, async options => {
        const messages: Json[] = [{ role: 'user', content: 'Write.' }];
        const first = await runTurn(scene, form, { options: { ...options, prompt: undefined, messages } });
        expect(await scene.effects()).toEqual([]);
        const asked = first.at(-1)?.content.find(({ type }) => type === 'tool-approval-request');
        const { approvalId } = asked ?? {};
        const providerExecuted = form !== 'host';
        const answer = { type: 'tool-approval-response', approvalId, approved: true, providerExecuted };
        messages.push(...first.flatMap(({ response }) => response.messages), {
          role: 'tool',
          content: [answer],
        });
        const second = await runTurn(scene, form, { options: { ...options, prompt: undefined, messages } });
        return [...first, ...second];
      });
      // The host runs an approved call before its first step.
      expect(seen).toEqual(expected({ rounds: 2, calls: 1, turns: 2 }));
      expect(all.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    });

    it('a response that breaks', async () => {
      const script = [
        [callOf('a')],
        { fault: 'cut', after: 6, output: [{ text: 'one two' }] },
        [{ text: 'Done.' }],
      ];
      const toolLoop = { retry: { initialDelay: 1 } };
      const scene = await startScene(host, { script: script as never, toolLoop });
      // The host of form "host" repeats a stream as it does for any model.
      const isRepeated = form !== 'host' || host.ai === 7;
      const repeats = form === 'host' && host.ai === 7 ? { streamRetries: 1 } : {};
      const { all, ...seen } = await observe(scene, options =>
        runTurn(scene, form, { options: { ...options, ...repeats } }),
      );
      expect(await scene.effects()).toEqual(['a']);
      if (!isRepeated) return expect(all.at(-1)?.finishReason).toBe('error');
      const { requests, steps, effects } = expected({ rounds: 2, calls: 1, repeated: 1 });
      expect(seen).toMatchObject({ requests, steps, effects });
      expect(seen.text).toMatch(/Done\.$/);
    });

    it('a message of the user during a tool', async () => {
      const script = [[callOf('a')], [{ text: 'Done.' }]];
      const steering = host.ai === 7 ? ai7.experimental_createSteering() : createSteering();
      const outcomes: unknown[] = [];
      const scene = await startScene(host, {
        script,
        onWrite: () => void outcomes.push(steering.steer('In Celsius, please.')),
      });
      const isOfHost = host.ai === 7 && form !== 'one step';
      const { all: _, ...seen } = await observe(scene, options =>
        runTurn(scene, form, {
          options: {
            ...options,
            ...(isOfHost && { experimental_steering: steering }),
            ...(!isOfHost &&
              form !== 'host' && { providerOptions: { kelivo: toolLoopCallOptions({ steering }) } }),
            // `ai` 6 has no steering of its own.
            ...(host.ai === 6 &&
              form === 'host' && {
                prepareStep: ({ stepNumber, messages }: { stepNumber: number; messages: Json[] }) =>
                  stepNumber === 0
                    ? {}
                    : { messages: [...messages, { role: 'user', content: 'In Celsius, please.' }] },
              }),
          },
        }),
      );
      expect(seen).toEqual(expected({ rounds: 2, calls: 1 }));
      expect(lastInput(scene)).toMatch(/wrote a.*In Celsius, please\./);
      if (host.ai === 7 || form !== 'host') expect(await outcomes[0]).toMatchObject({ type: 'delivered' });
    });
  });

  it.each(forms)('a turn that goes on in another provider, from the journal ("%s")', async form => {
    const toolLoop = { journal: createJournal({ store: createSqliteStore({ path: ':memory:' }) }) };
    const script = [[callOf('a')], { fault: 'stall', after: 2, output: [{ text: 'lost' }] }] as never[];
    const first = await startScene(host, { script, toolLoop });
    const run = { turnId: 'turn-1' };
    const running = runTurn(first, form, { run });
    await expect.poll(() => first.emulator.requests.length).toBe(2);
    await first.provider.close();
    expect((await running).at(-1)?.text).not.toBe('Done.');
    first.emulator.enqueue([{ text: 'Done.' }]);
    const second = await startScene(host, { toolLoop }, first);
    const { all: _, ...seen } = await observe(second, options => runTurn(second, form, { options, run }));
    const { requests: __, ...others } = toExpected(form, host, { rounds: 2, calls: 1 });
    expect(seen).toMatchObject(others);
    expect(await second.effects()).toEqual(['a']);
    expect(seen.requests).toBe(3);
    expect(lastInput(second)).toContain('wrote a');
  });
});
