import path from 'node:path';
import type { JSONValue, LanguageModelV2Prompt, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { onTestFinished } from 'vitest';
import {
  createJournal,
  createSqliteStore,
  type JournalSettings,
  type JournalStore,
} from '../../../src/tool-loop/durable/index.js';
import type { ToolLoopOptions } from '../../../src/tool-loop/options.js';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import {
  call,
  callRound,
  ofType,
  scriptedModel,
  type ScriptedRound,
  stream,
  user,
} from '../_scripted-model.js';
import { gate, type ScriptedTool, scriptedTools } from '../_tools.js';
import { temporaryFolder } from '../../tools/mcp/_fixture-server.js';

export async function openStore(): Promise<JournalStore> {
  const store = createSqliteStore({ path: path.join(await temporaryFolder(), 'journal.db') });
  onTestFinished(() => store.close());
  return store;
}

/**
 * Returns a store whose process dies when it writes a record: the record is lost, the claim ends, and nothing answers.
 * `bury` lets the code of the dead process go on, with an error for each of its operations, so that a test need not wait.
 */
export function dyingAt(
  store: JournalStore,
  step: string,
): { store: JournalStore; died: Promise<void>; bury: () => void } {
  const { opened: died, open } = gate();
  const { opened: buried, open: bury } = gate();
  let isDead = false;
  const noAnswer = (): Promise<never> => buried.then(() => Promise.reject(new Error('The process is dead.')));
  const unlessDead = async <Result>(run: () => Promise<Result>): Promise<Result> =>
    isDead ? noAnswer() : run();
  return {
    died,
    bury,
    store: {
      ...store,
      read: (...parameters) => unlessDead(() => store.read(...parameters)),
      claim: (...parameters) => unlessDead(() => store.claim(...parameters)),
      release: (...parameters) => unlessDead(() => store.release(...parameters)),
      write: (turn, name, record, options) =>
        unlessDead(async () => {
          if (!name.startsWith(step)) return store.write(turn, name, record, options);
          isDead = true;
          await store.release(turn, options.owner);
          open();
          return noAnswer();
        }),
    },
  };
}

export interface Attempt extends Partial<Omit<ToolLoopOptions, 'tools'>> {
  readonly store: JournalStore;
  readonly settings?: Omit<JournalSettings, 'store'>;
  readonly rounds: ScriptedRound[];
  readonly tools?: Record<string, ScriptedTool['execute'] | ScriptedTool>;
  readonly run?: typeof stream;
  readonly turnId?: string;
  /** A text of the user, or a conversation. */
  readonly prompt?: string | LanguageModelV2Prompt;
  readonly modelId?: string;
  /** Options of the call besides its turn id. */
  readonly own?: Record<string, unknown>;
}

/** Creates an application whose attempts share the effects of the tool `pay`. */
export function createApplication() {
  const paid: unknown[] = [];
  const pay: ScriptedTool['execute'] = ({ n }) => {
    paid.push(n);
    return `paid ${n}`;
  };
  function attempt({
    store,
    settings,
    rounds,
    run = stream,
    turnId = 'turn-1',
    prompt = 'Pay.',
    own,
    modelId = 'scripted-1',
    ...options
  }: Attempt) {
    const model = Object.assign(scriptedModel(...rounds), { modelId });
    const journal = createJournal({ store, ...settings });
    const looped = withToolLoop(model, {
      ...options,
      tools: scriptedTools({ pay, ...(options.tools as object) }),
      journal,
    });
    const running = run(looped, {
      prompt: typeof prompt === 'string' ? user(prompt) : prompt,
      providerOptions: { kelivo: { turnId, ...(own as Record<string, JSONValue>) } },
    });
    running.catch(() => {});
    return { model, running, journal };
  }
  return { attempt, paid };
}

export const payRound = (id: string, n: number): LanguageModelV2StreamPart[] =>
  callRound(call(id, 'pay', { n }));
export const outputsOf = (parts: readonly LanguageModelV2StreamPart[]): unknown[] =>
  ofType(parts, 'tool-result').map(({ result }) => result);
export const errorsOf = (parts: readonly LanguageModelV2StreamPart[]): string[] =>
  ofType(parts, 'error').map(({ error }) => String(error));
