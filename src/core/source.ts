import type { CoreCall } from './call.js';
import type { SigningKeys } from './shared/signing.js';
import type { Part } from './part.js';

/** A language model, whatever its version is. */
export interface CoreModel {
  readonly provider: string;
  readonly modelId: string;
  /** The origin that receives its requests. Undefined for models of other packages. */
  readonly origin?: string | undefined;
  readonly supportedUrls: PromiseLike<Record<string, RegExp[]>> | Record<string, RegExp[]>;
  /**
   * The keys that sign what hosts keep of the model's responses. They return undefined for an own store.
   * @default those of the environment
   */
  readonly history?: (() => SigningKeys | undefined) | undefined;
  /** Sends one request. Resolves when the response begins. */
  open(call: CoreCall): Promise<PartSource>;
}

/** A response as parts, in batches as they arrive. */
export interface PartSource {
  /** Returns at least one part; undefined after the last one. Rejects when the source fails. */
  next(): Promise<readonly Part[] | undefined>;
  /** Ends the source. A pending `next` must not stay pending. */
  cancel(reason: unknown): void;
  readonly request?: { readonly url?: string | undefined; readonly body?: unknown } | undefined;
  /** The body of a response that is not streamed is there after the last part. */
  readonly response?:
    { readonly headers?: Record<string, string> | undefined; readonly body?: unknown } | undefined;
}

/** Creates a source of parts that are there already. */
export function sourceOf(
  parts: readonly Part[],
  facts: Pick<PartSource, 'request' | 'response'> = {},
): PartSource {
  let rest: readonly Part[] | undefined = parts.length > 0 ? parts : undefined;
  return {
    ...facts,
    async next() {
      const all = rest;
      rest = undefined;
      return all;
    },
    cancel() {
      rest = undefined;
    },
  };
}

/** Returns the source with parts before its own. */
export function withParts(source: PartSource, parts: readonly Part[]): PartSource {
  let first: readonly Part[] | undefined = parts.length > 0 ? parts : undefined;
  return {
    request: source.request,
    get response() {
      return source.response;
    },
    next() {
      if (first === undefined) return source.next();
      const batch = Promise.resolve(first);
      first = undefined;
      return batch;
    },
    cancel: source.cancel,
  };
}

export async function* partsOf(source: PartSource): AsyncGenerator<Part> {
  for (let parts = await source.next(); parts !== undefined; parts = await source.next()) yield* parts;
}

type Emit = (part: Part) => void;

/** Rewrites the parts of a source. */
export interface PartTransformer {
  /** Emits the replacement of `part`: nothing, the part itself, or others. */
  part(part: Part, emit: Emit): void;
  /** Emits the parts that are still held back when the source has ended. */
  flush?(emit: Emit): void;
}

/**
 * Returns the source with its parts rewritten. Cancelling it cancels `source`, and an error of `source` is passed on. A
 * transformer that throws ends both.
 */
export function transformParts(source: PartSource, transformer: PartTransformer): PartSource {
  let emitted: Part[] = [];
  let end: 'closed' | { error: unknown } | undefined;
  const emit: Emit = part => void emitted.push(part);

  return {
    request: source.request,
    get response() {
      return source.response;
    },
    async next() {
      while (emitted.length === 0) {
        if (end === 'closed') return undefined;
        if (end !== undefined) throw end.error;
        take(await source.next());
      }
      const batch = emitted;
      emitted = [];
      return batch;
    },
    cancel: source.cancel,
  };

  function take(parts: readonly Part[] | undefined): void {
    try {
      if (parts !== undefined) for (const part of parts) transformer.part(part, emit);
      else {
        end = 'closed';
        transformer.flush?.(emit);
      }
    } catch (error) {
      // Parts that were emitted before are still delivered.
      end = { error };
      source.cancel(error);
    }
  }
}

export interface CallChanges {
  /** The call that the model receives. @default the caller's */
  readonly call?: CoreCall | undefined;
  /** Rewrites the parts of the response. @default parts are left unchanged */
  readonly response?: PartTransformer | undefined;
}

/**
 * Returns the model with changed calls and responses. `begin` runs once for each call, so its variables belong to that
 * call alone.
 */
export const withChanges = (model: CoreModel, begin: (call: CoreCall) => CallChanges): CoreModel =>
  withOpen(model, async received => {
    const { call = received, response } = begin(received);
    const source = await model.open(call);
    return response === undefined ? source : transformParts(source, response);
  });

/** Returns the model with another `open`. */
export const withOpen = (model: CoreModel, open: CoreModel['open']): CoreModel => ({
  provider: model.provider,
  modelId: model.modelId,
  origin: model.origin,
  get supportedUrls() {
    return model.supportedUrls;
  },
  history: model.history,
  open,
});

/** Returns the model with other keys for what hosts keep. Without keys, it is the model itself. */
export const withHistory = (model: CoreModel, history: CoreModel['history']): CoreModel =>
  history === undefined
    ? model
    : Object.assign(
        withOpen(model, call => model.open(call)),
        { history },
      );

/** Receives the parts of a producer. */
export interface PartSink {
  write(part: Part): void;
  /** Returns a promise that resolves when the reader has caught up, or undefined if there is room. Await it between batches. */
  ready(): Promise<void> | undefined;
  /** Returns a promise that resolves when the reader has taken every part so far and asks for more, or undefined if it does. */
  taken(): Promise<void> | undefined;
}

/** The limit for a reader that does not ask for parts: it may have gone away without a sign. */
export interface UnreadLimit {
  readonly milliseconds: number;
  /** Called once, when the limit is reached. */
  readonly onReached: () => void;
}

/** Maximum number of parts that a producer may be ahead of its reader. */
const MAX_AHEAD = 64;

/** Number of checks in the time of a limit. A check costs nothing for a part. */
const CHECKS = 4;

/** Creates a source of the parts that `produce` writes. It ends when `produce` resolves and fails when it rejects. */
export function createPartSource(
  produce: (sink: PartSink) => Promise<void>,
  {
    onCancel,
    unread,
    ...facts
  }: { onCancel?: (reason: unknown) => void; unread?: UnreadLimit | undefined } & Pick<
    PartSource,
    'request' | 'response'
  > = {},
): PartSource {
  let waiting: Part[] = [];
  let isCancelled = false;
  let isAsked = false;
  let outcome: { error?: unknown; failed: boolean } | undefined;
  const partsArrived = createNotifier();
  const partsTaken = createNotifier();
  const partsAsked = createNotifier();

  const sink: PartSink = {
    write(part) {
      if (isCancelled) return;
      waiting.push(part);
      partsArrived.notify();
    },
    ready: () => (isCancelled || waiting.length < MAX_AHEAD ? undefined : partsTaken.wait()),
    taken: () => (isCancelled || (isAsked && waiting.length === 0) ? undefined : partsAsked.wait()),
  };
  /** Number of checks since the reader has asked for parts. */
  let checks = 0;
  const timer =
    unread &&
    setInterval(() => {
      checks = isAsked ? 0 : checks + 1;
      if (checks <= CHECKS) return;
      clearInterval(timer);
      unread.onReached();
    }, unread.milliseconds / CHECKS);
  // The turn itself keeps the process alive while it does something.
  if (typeof timer === 'object') timer.unref();

  void produce(sink)
    .then(
      () => {
        outcome = { failed: false };
      },
      (error: unknown) => {
        outcome = { failed: true, error };
      },
    )
    .then(() => {
      clearInterval(timer);
      partsArrived.notify();
    });

  return {
    ...facts,
    async next() {
      checks = 0;
      while (waiting.length === 0) {
        if (isCancelled) return undefined;
        if (outcome?.failed) throw outcome.error;
        if (outcome !== undefined) return undefined;
        isAsked = true;
        partsAsked.notify();
        await partsArrived.wait();
      }
      isAsked = false;
      const batch = waiting;
      waiting = [];
      partsTaken.notify();
      return batch;
    },
    cancel(reason) {
      isCancelled = true;
      waiting = [];
      partsArrived.notify();
      partsTaken.notify();
      partsAsked.notify();
      onCancel?.(reason);
    },
  };
}

/** Lets one side wait for a signal of the other. */
function createNotifier() {
  let wake: (() => void) | undefined;
  return {
    notify: () => {
      wake?.();
      wake = undefined;
    },
    wait: () =>
      new Promise<void>(resolve => {
        wake = resolve;
      }),
  };
}
