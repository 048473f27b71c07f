import type { UIMessageChunk } from 'ai';
import type { TurnBatch, TurnPlace } from '../../shared/page-event.js';
import type { PlaygroundMessage } from '../../shared/playground-state.js';
import type { TraceEvent } from '../../shared/trace-event.js';
import { compactChunks, toMessage } from './chunks.js';
import { createTraceRecorder, type TraceRecorder } from './trace-recorder.js';

/** The running turns. They belong to the server: a page can leave and return without any effect on them. */
export interface Turns {
  /**
   * Starts a turn, unless its thread has a running one.
   *
   * @param run Writes the turn. It must not reject.
   */
  start(place: TurnPlace, run: (turn: TurnWriter) => Promise<void>): void;
  /** Returns the turn that runs in a thread. */
  inThread(place: Pick<TurnPlace, 'conversationId' | 'thread'>): TurnPlace | undefined;
  /** Returns everything that running turns of a conversation have written, one batch per turn. */
  snapshots(conversationId: string): readonly TurnBatch[];
  /** Returns the conversation of a call that runs. */
  findCall(toolCallId: string): string | undefined;
  counts(conversationId: string): { readonly runningTurns: number; readonly pendingApprovals: number };
  /** Stops a turn. Returns false if it is not running. */
  stop(responseId: string): boolean;
  stopConversation(conversationId: string): void;
  /** Stops all turns and waits until they have ended, up to a time limit. */
  stopAll(): Promise<void>;
}

export interface TurnWriter {
  /** Aborts when the turn is stopped. */
  readonly signal: AbortSignal;
  readonly recorder: TraceRecorder;
  write(chunk: UIMessageChunk): void;
}

export interface TurnsOptions {
  /** Called with each batch of a running turn. */
  readonly onBatch: (batch: TurnBatch) => void;
  /** Called when a turn starts, asks for an approval, or receives one. */
  readonly onChange: (place: TurnPlace) => void;
  /** Called once when a turn has ended, also if it failed or was stopped. It is no longer running then. */
  readonly onEnd: (place: TurnPlace, message: PlaygroundMessage, trace: readonly TraceEvent[]) => void;
}

interface RunningTurn {
  readonly place: TurnPlace;
  readonly controller: AbortController;
  readonly recorder: TraceRecorder;
  readonly ended: Promise<void>;
  /** The chunks and the number of trace events that have been delivered. */
  chunks: readonly UIMessageChunk[];
  deliveredEvents: number;
}

/** Milliseconds to wait for stopped turns. */
const STOP_TIMEOUT = 2000;

export function createTurns({ onBatch, onChange, onEnd }: TurnsOptions): Turns {
  const running = new Map<string, RunningTurn>();
  const ofConversation = (conversationId: string): RunningTurn[] =>
    [...running.values()].filter(({ place }) => place.conversationId === conversationId);

  function start(place: TurnPlace, run: (turn: TurnWriter) => Promise<void>): void {
    const controller = new AbortController();
    let pending: UIMessageChunk[] = [];
    const recorder = createTraceRecorder({
      deliver(batch) {
        // The end of a turn is sent with the stored response, so that no page shows one without the other.
        const events = batch.filter(({ type }) => type !== 'turn-end');
        const isFirst = turn.deliveredEvents === 0 && turn.chunks.length === 0;
        const chunks = compactChunks(pending);
        pending = [];
        turn.chunks = compactChunks([...turn.chunks, ...chunks]);
        turn.deliveredEvents += batch.length;
        onBatch({ ...place, isFirst, chunks, events });
        if (events.some(({ type }) => /^(approval-|turn-start)/.test(type))) onChange(place);
      },
      hasOther: () => pending.length > 0,
    });
    async function runToEnd(): Promise<void> {
      await run({
        signal: controller.signal,
        recorder,
        write(chunk) {
          pending.push(chunk);
          recorder.schedule();
        },
      });
      recorder.flush();
      const message = await toMessage(turn.chunks, { id: place.responseId });
      running.delete(place.responseId);
      onEnd(place, message, recorder.events);
    }
    const turn: RunningTurn = {
      place,
      controller,
      recorder,
      chunks: [],
      deliveredEvents: 0,
      // The first step runs after this object exists.
      ended: Promise.resolve().then(runToEnd),
    };
    running.set(place.responseId, turn);
    onChange(place);
  }

  function stop(responseId: string): boolean {
    const turn = running.get(responseId);
    turn?.controller.abort();
    return turn !== undefined;
  }

  return {
    start,
    inThread: ({ conversationId, thread }) =>
      ofConversation(conversationId).find(({ place }) => place.thread === thread)?.place,
    snapshots: conversationId =>
      ofConversation(conversationId).map(({ place, chunks, recorder, deliveredEvents }) => ({
        ...place,
        isFirst: true,
        chunks,
        events: recorder.events.slice(0, deliveredEvents).filter(({ type }) => type !== 'turn-end'),
      })),
    findCall: toolCallId =>
      [...running.values()].find(({ recorder }) =>
        recorder.events.some(event => event.type === 'tool-start' && event.toolCallId === toolCallId),
      )?.place.conversationId,
    counts(conversationId) {
      const turns = ofConversation(conversationId);
      const approvals = turns.map(({ recorder: { events } }) => {
        const count = (type: TraceEvent['type']): number =>
          events.filter(event => event.type === type).length;
        return count('approval-requested') - count('approval-decided');
      });
      return {
        runningTurns: turns.length,
        pendingApprovals: approvals.reduce((sum, count) => sum + count, 0),
      };
    },
    stop,
    stopConversation(conversationId) {
      for (const { place } of ofConversation(conversationId)) stop(place.responseId);
    },
    async stopAll() {
      const ended = [...running.values()].map(turn => turn.ended);
      for (const responseId of [...running.keys()]) stop(responseId);
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>(resolve => {
        timer = setTimeout(resolve, STOP_TIMEOUT);
      });
      await Promise.race([Promise.allSettled(ended), limit]);
      clearTimeout(timer);
    },
  };
}
