import { expect, it, onTestFinished } from 'vitest';
import { createJournal, createSqliteStore } from '../../src/tool-loop/durable/index.js';
import { combine, everyValue } from '../_products.js';
import { createServer, deathsAt, dyingStore, LINES } from './_crashes.js';
import { hosts, runTurn, startScene } from './_forms.js';

/*
 * Runs of a host with the tools of `agentSettings({ turnId })`, whose process dies at a record or while a person decides. The
 * application repeats the run in another process.
 */

const UNKNOWN = 'The outcome of this call is unknown';

type Decision = 'none' | 'approved' | 'refused';

interface Scenario {
  readonly host: (typeof hosts)[number];
  readonly isStream: boolean;
  readonly decision: Decision;
}

/** A point at which the process dies. */
type Death =
  | { readonly type: 'never' }
  | { readonly type: 'asked'; readonly question: number }
  | { readonly type: 'record'; readonly record: number; readonly isWritten: boolean };

async function runUntilEnd({ host, isStream, decision }: Scenario, death: Death) {
  const store = createSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const names: string[] = [];
  let questions = 0;
  let deaths = 0;
  let shared: Awaited<ReturnType<typeof startScene>> | undefined;
  const { fetch, requests } = createServer();

  const start = async () => {
    const isDeath = (name: string): boolean => {
      names.push(name.replace(/ [0-9a-f]{64}$/, ''));
      return death.type === 'record' && names.length === death.record && deaths === 0;
    };
    const dying = dyingStore(store, isDeath, death.type === 'record' && death.isWritten);
    onTestFinished(() => dying.bury());
    const scene = await startScene(
      host,
      {
        fetch: fetch as typeof globalThis.fetch,
        toolLoop: {
          journal: createJournal({ store: dying.store, lease: 60_000 }),
          ...(decision !== 'none' && {
            approvals: 'always',
            approve() {
              questions++;
              if (death.type !== 'asked' || death.question !== questions) return decision === 'approved';
              void dying.kill();
              return new Promise<boolean>(() => {});
            },
          }),
        },
      },
      shared,
    );
    shared ??= scene;
    const controller = new AbortController();
    const running = runTurn(scene, 'host', {
      isStream,
      run: { turnId: 'run-1' },
      options: { maxRetries: 0, abortSignal: controller.signal },
    });
    running.catch(() => {});
    const ended = await Promise.race([running, dying.died.then(() => undefined)]);
    return { ended, scene, controller };
  };

  for (;;) {
    const { ended, scene, controller } = await start();
    if (ended !== undefined) {
      const outputs = JSON.stringify(requests.at(-1));
      return { deaths, questions, names, outputs, text: ended.at(-1)?.text, effects: await scene.effects() };
    }
    deaths++;
    controller.abort();
    if (deaths > 3) throw new Error('The run does not end.');
  }
}

const scenarios = everyValue(
  combine({
    host: hosts,
    isStream: [false, true],
    decision: ['none', 'approved', 'refused'],
  }),
);

it.each(scenarios.map((scenario, number) => ({ ...scenario, number })))(
  'ai $host.ai (stream: $isStream, decision: $decision) loses nothing, and repeats nothing',
  async ({ number, ...scenario }) => {
    const { decision } = scenario;
    const problems: string[] = [];
    const expected: readonly string[] = decision === 'refused' ? [] : LINES;
    const check = (at: string, { effects, text, outputs }: Awaited<ReturnType<typeof runUntilEnd>>) => {
      const isUnknown = outputs.includes(UNKNOWN);
      if (text !== 'Done.') problems.push(`${at}: ended with ${String(text)}`);
      if (new Set(effects).size !== effects.length) problems.push(`${at}: repeated ${effects.join()}`);
      if (effects.some(line => !expected.includes(line))) problems.push(`${at}: ran ${effects.join()}`);
      if (!isUnknown && effects.length !== expected.length)
        problems.push(`${at}: lost, ran ${effects.join()}`);
      return isUnknown;
    };
    const whole = await runUntilEnd(scenario, { type: 'never' });
    if (check('alive', whole)) problems.push('alive: unknown');
    const asked = decision === 'none' ? 0 : LINES.length;
    expect(whole.questions).toBe(asked);
    for (let question = 1; question <= asked; question++) {
      const run = await runUntilEnd(scenario, { type: 'asked', question });
      if (check(`question ${question}`, run)) problems.push(`question ${question}: unknown`);
      if (run.deaths !== 1) problems.push(`question ${question}: ${run.deaths} deaths`);
    }
    for (let record = 1; record <= whole.names.length; record++)
      for (const isWritten of deathsAt(record, number)) {
        const run = await runUntilEnd(scenario, { type: 'record', record, isWritten });
        const at = `${isWritten ? 'after' : 'before'} ${run.names[record - 1]}`;
        // Only a call whose start is recorded may have had an effect.
        if (check(at, run) && !/^(?:start|call) /.test(run.names[record - 1] ?? ''))
          problems.push(`${at}: unknown`);
      }
    expect(problems).toEqual([]);
    expect(whole.names.length).toBeGreaterThan(8);
  },
);
