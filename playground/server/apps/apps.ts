import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { PlaygroundMessage } from '../../shared/playground-state.js';
import type { TracedApp, TurnEnd } from '../../shared/trace-event.js';
import type { Redactor } from '../redaction/redactor.js';
import type { AppTurnRecord, StoredTurn } from '../store/conversations.js';
import { type AppTurn, createAppTurn } from './app-turn.js';
import { type Fields, isFields, listOf, numberOf, objectOf, textOf } from './fields.js';

/** The applications that send their turns, and those turns that have not ended. */
export interface Apps {
  /** Part of the printed address for applications. With it, one can send, and nothing else. */
  readonly token: string;
  /** Takes a batch of `devTools()`. */
  receive(batch: AppBatch): void;
  /** Replaces the turns of other sources, such as OpenTelemetry, which are stored when they change no more. */
  show(source: string, turns: readonly ForeignTurn[]): void;
  /** Returns the turns that are not stored yet, the newest first. */
  running(): readonly RunningTurn[];
  /** Returns a turn that is not stored yet. */
  find(id: string): RunningTurn | undefined;
  store(turn: AppTurnRecord): void;
  close(): void;
}

/** A turn that is not stored yet, with what it has answered so far. */
export interface RunningTurn extends StoredTurn {
  readonly question: string;
  readonly message: PlaygroundMessage;
}

/** A turn that others have written. */
export interface ForeignTurn extends AppTurnRecord {
  readonly at: number;
}

export const appBatch = z.object({
  app: z.object({
    id: z.string().max(100),
    name: z.string().max(200),
    process: z.number().int().positive().optional(),
  }),
  lost: z.number().int().min(0).max(1e9),
  messages: z.array(z.record(z.string(), z.unknown())).max(20_000),
});
export type AppBatch = z.infer<typeof appBatch>;

export interface AppsOptions {
  readonly redactor: Redactor;
  readonly store: (turn: AppTurnRecord) => void;
  /** Called when the list of turns has changed. */
  readonly onChange: () => void;
}

interface AppSession {
  readonly app: TracedApp;
  seenAt: number;
  lost: number;
  readonly turns: Set<AppTurn>;
  /** Turns whose end the application reports, by its id. */
  readonly reported: Map<string, AppTurn>;
  /** Turns that contain the calls of another one, which a tool made. */
  readonly nested: Map<string, AppTurn>;
  readonly calls: Map<unknown, AppTurn>;
}

const PROCESS_ENDED = 'The process of the application ended before the turn.';

const MAX_SESSIONS = 100;
const MAX_RUNNING = 200;
/** Characters of the contents of all turns that have not ended. */
const MAX_SIZE = 256_000_000;

/** Milliseconds between two looks for processes that have ended. */
const INTERVAL = 500;
/** A process sends every second while it works, and in the minute after that. */
const SILENT = 3000;
/** The time that a tool of a living process may take. */
const IDLE = 10 * 60_000;

export const toTitle = (question: string): string =>
  question.replace(/\s+/g, ' ').trim().slice(0, 60) || 'A turn without a question';

export function createApps({ redactor, store, onChange }: AppsOptions): Apps {
  const sessions = new Map<string, AppSession>();
  const foreign = new Map<string, readonly ForeignTurn[]>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const keep = (turn: AppTurnRecord): void => {
    if (!isClosed) store(turn);
  };

  const allTurns = (): AppTurn[] => [...sessions.values()].flatMap(({ turns }) => [...turns]);

  function openSession({ app: { id, ...app } }: AppBatch): AppSession {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const session: AppSession = {
      app,
      seenAt: Date.now(),
      lost: 0,
      turns: new Set(),
      reported: new Map(),
      nested: new Map(),
      calls: new Map(),
    };
    sessions.set(id, session);
    const [oldest] = [...sessions].toSorted(([, a], [, b]) => a.seenAt - b.seenAt);
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) {
      endAll(oldest[1], 'aborted');
      sessions.delete(oldest[0]);
    }
    return session;
  }

  const byId = ({ reported, nested }: AppSession, id: unknown): AppTurn | undefined =>
    reported.get(textOf(id)) ?? nested.get(textOf(id));

  /** Finds the turn that a call continues: the one that its application names, or whose tools it has results of. */
  function turnOf(session: AppSession, message: Fields): AppTurn | undefined {
    const parent = objectOf(message.parent);
    const outer = parent && byId(session, parent.turn);
    if (outer !== undefined) return outer;
    if (typeof message.turn === 'string') return session.reported.get(message.turn);
    const last = listOf(message.prompt).findLast(isFields);
    const results = last?.role === 'tool' ? listOf(last.content) : [];
    const ids = results.map(part => textOf(objectOf(part)?.toolCallId));
    return [...session.turns].find(({ waitingFor }) => ids.some(id => waitingFor.has(id)));
  }

  function beginCall(session: AppSession, message: Fields): void {
    const turn = turnOf(session, message) ?? createTurn(session, message);
    // The end of a nested turn does not end the turn that contains it.
    const known = objectOf(message.parent) === undefined ? session.reported : session.nested;
    if (typeof message.turn === 'string') known.set(message.turn, turn);
    session.calls.set(message.call, turn);
    turn.beginCall(message);
  }

  function createTurn(session: AppSession, first: Fields): AppTurn {
    const isReported = typeof first.turn === 'string';
    const turn = createAppTurn({ app: session.app, redactor, first, isReported });
    session.turns.add(turn);
    return turn;
  }

  /** Ends the least recently active turns until both limits hold. */
  function makeRoom(): void {
    const running = [...sessions.values()]
      .flatMap(session => [...session.turns].map(turn => ({ session, turn })))
      .toSorted((a, b) => a.turn.lastAt - b.turn.lastAt);
    let size = running.reduce((sum, { turn }) => sum + turn.size, 0);
    for (const [index, { session, turn }] of running.entries()) {
      if (running.length - index <= MAX_RUNNING && size <= MAX_SIZE) return;
      size -= turn.size;
      endTurn(
        session,
        turn,
        'aborted',
        'The playground ended the record of this turn, because too many turns were running.',
      );
    }
  }

  function endTurn(session: AppSession, turn: AppTurn, end: TurnEnd, reason = PROCESS_ENDED): void {
    const message = end === 'aborted' ? reason : undefined;
    turn.end(end, { at: turn.lastAt, message });
    storeEnded(session);
  }

  function endAll(session: AppSession, end: TurnEnd): void {
    for (const turn of session.turns) endTurn(session, turn, end);
  }

  function storeEnded(session: AppSession): void {
    for (const turn of session.turns) {
      if (!turn.hasEnded) continue;
      session.turns.delete(turn);
      for (const map of [session.reported, session.nested, session.calls])
        for (const [id, known] of map) if (known === turn) (map as Map<unknown, AppTurn>).delete(id);
      // Redacted before it is cut, so that a part of a secret does not stay.
      const question = redactor.text(turn.question);
      keep({ question, title: toTitle(question), message: turn.toMessage(), trace: turn.events });
    }
  }

  function readMessage(session: AppSession, message: Fields): void {
    const { type } = message;
    if (type === 'call-start') return beginCall(session, message);
    if (type === 'exit') {
      // The application has nothing left to do, so nothing continues its turns.
      return endAll(session, 'finished');
    }
    if (type !== 'turn-end')
      return (session.calls.get(message.call) ?? byId(session, message.turn))?.add(message);
    const reported = session.reported.get(textOf(message.turn));
    const error = objectOf(message.error);
    const end = message.isAborted === true || error?.isAborted === true ? 'stopped' : 'finished';
    reported?.end(error !== undefined && end === 'finished' ? 'failed' : end, {
      at: numberOf(message.at) ?? Date.now(),
      ...(error !== undefined && { message: redactor.text(textOf(error.message)) }),
    });
  }

  /** Ends the turns of processes that are gone. */
  function check(): void {
    for (const session of sessions.values()) {
      if (session.turns.size === 0) continue;
      const silent = Date.now() - session.seenAt;
      if (silent > SILENT && !isAlive(session.app.process)) endAll(session, 'aborted');
      else if (silent > IDLE) endAll(session, 'finished');
      else continue;
      onChange();
    }
    if (allTurns().length === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }

  const toRunning = ({ id, question, events, toMessage }: AppTurn): RunningTurn => ({
    conversationId: id,
    messageId: id,
    thread: 'main',
    title: toTitle(redactor.text(question)),
    outline: events,
    question,
    message: toMessage(),
  });

  const listForeign = (): ForeignTurn[] => [...foreign.values()].flat();

  const running = (): readonly RunningTurn[] =>
    [
      ...listForeign().map(({ at, title, question, message, trace }) => ({
        at,
        turn: {
          conversationId: message.id,
          messageId: message.id,
          thread: 'main' as const,
          title,
          outline: trace,
          question,
          message,
        },
      })),
      ...allTurns().map(turn => ({ at: turn.lastAt, turn: toRunning(turn) })),
    ]
      .toSorted((a, b) => b.at - a.at)
      .map(({ turn }) => turn);

  return {
    token: randomBytes(32).toString('base64url'),
    receive(batch) {
      const session = openSession(batch);
      session.seenAt = Date.now();
      if (batch.lost > 0)
        for (const turn of session.turns)
          turn.warn(
            `${batch.lost} events of the application were lost, because the playground was too slow.`,
          );
      for (const message of batch.messages) {
        try {
          readMessage(session, message);
        } catch (error) {
          // A malformed message loses itself only.
          console.error(
            `A message of ${session.app.name} could not be read: ${redactor.text(String(error))}`,
          );
        }
      }
      storeEnded(session);
      makeRoom();
      if (session.turns.size > 0) timer ??= setInterval(check, INTERVAL);
      if (batch.messages.length > 0) onChange();
    },
    show(source, turns) {
      if (turns.length === 0) foreign.delete(source);
      else foreign.set(source, turns);
      onChange();
    },
    running,
    find: id => running().find(({ messageId }) => messageId === id),
    store: keep,
    close() {
      clearInterval(timer);
      for (const session of sessions.values()) endAll(session, 'aborted');
      for (const turn of listForeign()) store(turn);
      foreign.clear();
      isClosed = true;
    },
  };
}

/** Signal 0 only asks. A process of another user is alive, too. */
function isAlive(process_: number | undefined): boolean {
  if (process_ === undefined) return false;
  try {
    return process.kill(process_, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
