import type { JournalStore } from '../../src/tool-loop/durable/index.js';
import { toSse } from '../_sse.js';
import { functionCall, message, toStream } from '../responses/stream/_fixtures/wire-events.js';
import { gate } from '../tool-loop/_tools.js';
import { isWhole } from '../_products.js';
import type { Json } from './_forms.js';

/** The lines that the calls of each round write. */
const ROUNDS = [['a'], ['b', 'c'], ['d']] as const;
export const LINES = ROUNDS.flat();

/**
 * Returns whether a record is written by the process that dies at it, once for each death. `npm test` lets processes die at
 * every third record, before and after it in turns. The number of a scenario selects which.
 */
export const deathsAt = (record: number, scenario: number): readonly boolean[] => {
  if (isWhole) return [false, true];
  return record % 3 === scenario % 3 ? [record % 6 < 3] : [];
};

/** Returns a store whose process dies at a record: its claim ends, and nothing answers. */
export function dyingStore(store: JournalStore, isDeath: (step: string) => boolean, isWritten: boolean) {
  const { opened: died, open: die } = gate();
  const { opened: buried, open: bury } = gate();
  let isDead = false;
  let release = async (): Promise<void> => {};
  /** Ends the process, and its claim. */
  const kill = async (): Promise<void> => {
    isDead = true;
    await release();
    die();
  };
  const noAnswer = (): Promise<never> => buried.then(() => Promise.reject(new Error('The process is dead.')));
  const unlessDead = async <Result>(run: () => Promise<Result>): Promise<Result> =>
    isDead ? noAnswer() : run();
  const dying: JournalStore = {
    ...store,
    read: (...given) => unlessDead(() => store.read(...given)),
    claim: (...given) => unlessDead(() => store.claim(...given)),
    release: (...given) => unlessDead(() => store.release(...given)),
    write: (turn, name, record, options) =>
      unlessDead(async () => {
        release = () => store.release(turn, options.owner);
        if (!isDeath(name)) return store.write(turn, name, record, options);
        isDead = true;
        if (isWritten) await store.write(turn, name, record, options);
        await kill();
        return noAnswer();
      }),
  };
  return { store: dying, died, kill, bury };
}

/** A model that asks for the lines of the first round that is not complete, with other ids each time. */
export function createServer() {
  const requests: Json[][] = [];
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const { input, stream } = JSON.parse(String(init?.body)) as { input: Json[]; stream?: boolean };
    const number = requests.push(input);
    const called = JSON.stringify(input.filter(({ type }) => type === 'function_call'));
    const missing = ROUNDS.map(lines => lines.filter(line => !called.includes(`call_${line}`)));
    const items = (missing.find(lines => lines.length > 0) ?? []).map(line =>
      functionCall('write', JSON.stringify({ line }), {
        id: `fc_${line}${number}`,
        callId: `call_${line}${number}`,
      }),
    );
    const events = toStream(items.length > 0 ? items : [message(['Done.'])]);
    if (stream === true)
      return new Response(toSse(events), { headers: { 'content-type': 'text/event-stream' } });
    return Response.json(events.at(-1)?.response);
  };
  return { requests, fetch };
}
