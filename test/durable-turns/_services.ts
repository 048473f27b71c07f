import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { objectsOf } from '../../src/core/shared/json.js';
import { toSse } from '../_sse.js';
import { functionCall, message, toStream } from '../responses/stream/_fixtures/wire-events.js';

/*
 * The services that durable turns of a test use: a model that answers each request with other ids and other arguments, the
 * train API of the recipes, and an endpoint to which workers report their records. A turn can be held at one point, until
 * its process is killed. Turns are identified by their prompts.
 */

/** Calls by round: position in the turn, and tool. Only `book_seat` must not be repeated. */
export const CALLS = [
  ['1.1 find_trains', '1.2 hold_seat'],
  ['2.1 book_seat', '2.2 find_trains', '2.3 hold_seat'],
  [],
] as const;

export interface Effect {
  /** Position in the turn, and tool. */
  readonly call: string;
  readonly idempotencyKey: string;
}

/** Everything that the services have observed of a turn. */
export interface TurnLog {
  /** The rounds that were requested, in order. */
  readonly requests: number[];
  readonly effects: Effect[];
  /** Steps that were recorded before the process was killed. */
  readonly recorded: Set<string>;
  /** Number of questions that were asked. */
  questions: number;
  /** True if the model received the report of an unknown outcome. */
  isUnknown: boolean;
  /** The text of the turn. */
  text?: string;
  readonly issues: string[];
}

export interface TurnServices {
  readonly url: string;
  logOf(turn: string): TurnLog;
  /** Holds a turn at a point, until `releaseAll()`. */
  hold(turn: string, point: string): void;
  /** Resolves when all turns that are held have reached their points. */
  untilReached(): Promise<void>;
  /** Reports that a turn has come to a point. Returns false if it is held there. */
  pass(turn: string, point: string): boolean;
  /** Holds no turn any longer, after the processes were killed. */
  releaseAll(): void;
  /** Lists the turns without a text, with what was observed of them. */
  describe(): string;
}

/** Time in milliseconds after which a point that was not reached is an error. */
const LIMIT = 240_000;

export async function startTurnServices(): Promise<TurnServices> {
  const logs = new Map<string, TurnLog>();
  const held = new Map<string, string>();
  const reached = new Set<string>();
  let onReached = (): void => {};
  let isFirstAttempt = true;

  const logOf = (turn: string): TurnLog => {
    const log = logs.get(turn) ?? {
      ...{
        requests: [],
        effects: [],
        recorded: new Set<string>(),
        questions: 0,
        isUnknown: false,
        issues: [],
      },
    };
    logs.set(turn, log);
    return log;
  };

  function pass(turn: string, point: string): boolean {
    const [, step] = /^after the record of (.*)$/.exec(point) ?? [];
    if (step !== undefined && isFirstAttempt) logOf(turn).recorded.add(step);
    if (held.get(turn) !== point) return true;
    reached.add(turn);
    if (reached.size === held.size) onReached();
    return false;
  }

  function respond(body: Record<string, unknown>, response: ServerResponse): void {
    const input = objectsOf(body.input);
    const turn = promptOf(input);
    const log = logOf(turn);
    const calls = input.filter(({ type }) => type === 'function_call');
    const outputs = input.filter(({ type }) => type === 'function_call_output');
    if (JSON.stringify(calls.map(idOf)) !== JSON.stringify(outputs.map(idOf)))
      log.issues.push('a request whose outputs do not belong to its calls');
    const round = CALLS.findIndex((_, index) => CALLS.slice(0, index).flat().length === calls.length) + 1;
    const number = log.requests.push(round);
    log.isUnknown ||= JSON.stringify(outputs).includes('outcome of this call is unknown');
    if (!pass(turn, `round ${round} requested`)) return;

    const items = (CALLS[round - 1] ?? []).map(call => {
      const [position = '', name = ''] = call.split(' ');
      const id = `${number}_${position.replace('.', '_')}`;
      const trip = JSON.stringify({ trip: `${turn} ${number} ${position}` });
      return functionCall(name, trip, { id: `fc_${id}`, callId: `call_${id}` });
    });
    const events = toStream(items.length > 0 ? items : [message([`Done in request ${number}.`])]);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const firstEnd = events.findIndex(({ type }) => type === 'response.output_item.done') + 1;
    response.write(toSse(events.slice(0, firstEnd)));
    // Held after its first item, which is complete.
    if (pass(turn, `round ${round} streaming`)) response.end(toSse(events.slice(firstEnd)));
  }

  function act(tool: string, request: IncomingMessage, body: Record<string, unknown>): string | undefined {
    const [turn = '', number, position] = String(body.trip).split(' ');
    const call = `${position} ${tool}`;
    if (!pass(turn, `before the effect of ${call}`)) return undefined;
    logOf(turn).effects.push({ call, idempotencyKey: String(request.headers['idempotency-key']) });
    if (!pass(turn, `after the effect of ${call}`)) return undefined;
    return `${tool} of request ${number} is done`;
  }

  const server = createServer(async (request, response) => {
    const body = JSON.parse((await readText(request)) || '{}') as Record<string, unknown>;
    const [, root = '', tool = ''] = (request.url ?? '').split('/');
    if (root === 'v1') return respond(body, response);
    const turn = String(body.turn);
    switch (root) {
      case 'trains': {
        const result = act(tool, request, body);
        return result === undefined ? undefined : void response.end(result);
      }
      case 'reach':
        return pass(turn, String(body.point)) ? void response.end() : undefined;
      case 'lost':
        logOf(turn).issues.push(`the claim ended before ${String(body.step)} was recorded`);
        return void response.end();
      case 'ask':
        logOf(turn).questions++;
        return pass(turn, APPROVAL) ? void response.end() : undefined;
      default:
        logOf(turn).text = String(body.text);
        return void response.end();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ logOf, pass },
    hold: (turn, point) => void held.set(turn, point),
    untilReached: () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          const missing = [...held].filter(([turn]) => !reached.has(turn)).map(([, point]) => point);
          reject(new Error(`Not reached: ${missing.join(', ')}`));
        }, LIMIT);
        onReached = () => {
          clearTimeout(timer);
          resolve();
        };
        if (reached.size === held.size) onReached();
      }),
    describe: () =>
      [...logs]
        .filter(([, { text }]) => text === undefined)
        .map(([turn, log]) => `${turn} at ${held.get(turn) ?? 'no point'}: ${JSON.stringify(log)}`)
        .join('; '),
    releaseAll() {
      held.clear();
      reached.clear();
      isFirstAttempt = false;
    },
  };
}

/** The point at which a turn waits for an approval. */
export const APPROVAL = 'approval awaited';

const idOf = (item: Record<string, unknown>): unknown => item.call_id;

function promptOf(input: readonly Record<string, unknown>[]): string {
  const [part] = objectsOf(input.find(({ role }) => role === 'user')?.content);
  return String(part?.text);
}
