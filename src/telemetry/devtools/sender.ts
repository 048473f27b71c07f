/** Sends what an application does to a playground. It never waits, throws or prints. */
export interface Sender {
  /** Queues a message with the current time. */
  send(message: object): void;
  /** Counts work that has begun (1) or ended (-1). While there is some, the playground hears that the process lives. */
  work(change: 1 | -1): void;
}

/** Messages and characters that wait for the playground. What exceeds them is lost, and counted. */
const MAX_MESSAGES = 10_000;
const MAX_CHARACTERS = 8_000_000;

/** Longer strings are truncated: files in base64 say nothing. */
const MAX_STRING = 20_000;

/** Milliseconds. */
const INTERVAL = 50;
const TIMEOUT = 5000;
const PAUSE = 2000;
const HEARTBEAT = 1000;
/** The time that the last events have at the end of the process. */
const FAREWELL = 1000;
/** The time after the last message in which the process still says that it lives, because a tool may be running. */
const LINGER = 60_000;

/** The call of a model or a tool in which something runs. */
export interface Place {
  readonly turn: string;
  readonly toolCallId?: string;
  readonly isModelCall?: boolean;
}

/** Other runtimes have a part of it, or nothing. */
export const hostProcess = (): Partial<NodeJS.Process> =>
  (globalThis as { process?: Partial<NodeJS.Process> }).process ?? {};

/** Asked for without an import, because other runtimes have no such modules. */
export const { getBuiltinModule } = hostProcess();

/** Creates a sender. The last part of the path of its URL is the token. */
export function createSender(options: { url: string; name: string | undefined }): Sender {
  const { origin, pathname } = new URL(options.url);
  const token = pathname.slice(pathname.lastIndexOf('/') + 1);
  const { pid, argv = [], env = {}, once } = hostProcess();
  // A tracer of the application must not count the requests of a sender among those of a call.
  const hooks = getBuiltinModule?.('node:async_hooks');
  const runDetached: <T>(run: () => T) => T = hooks?.AsyncLocalStorage.snapshot?.() ?? (run => run());
  const script = argv[1]?.split(/[\\/]/).at(-1);
  const app = JSON.stringify({
    id: globalThis.crypto.randomUUID(),
    name: options.name ?? env.npm_package_name ?? script ?? 'application',
    process: pid,
  });
  let queue: string[] = [];
  let characters = 0;
  let lost = 0;
  let working = 0;
  let lastMessageAt = 0;
  let pausedUntil = 0;
  let isSending = false;
  let timer: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let farewell: NodeJS.Timeout | undefined;

  function schedule(): void {
    timer ??= runDetached(() => setTimeout(flush, INTERVAL));
  }

  function scheduleHeartbeat(): void {
    if (working === 0 && Date.now() - lastMessageAt > LINGER) return;
    heartbeat ??= runDetached(() => setTimeout(beat, HEARTBEAT));
    // It does not keep the process alive.
    heartbeat.unref?.();
  }

  function beat(): void {
    heartbeat = undefined;
    flush();
    scheduleHeartbeat();
  }

  function flush(): void {
    timer = undefined;
    if (!isSending && Date.now() >= pausedUntil) void post();
  }

  async function post(): Promise<void> {
    const messages = queue;
    const reported = lost;
    queue = [];
    characters = 0;
    isSending = true;
    try {
      const status = await request(`${origin}/v1/devtools`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: `{"app":${app},"lost":${reported},"messages":[${messages.join(',')}]}`,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT),
      });
      if (status !== 200) throw new Error(`The playground returned status ${status}.`);
      lost -= reported;
    } catch {
      // It does not run, or is too slow. Its user starts it again when it is needed.
      lost += messages.length + queue.length;
      queue = [];
      characters = 0;
      pausedUntil = Date.now() + PAUSE;
    }
    isSending = false;
    if (queue.length > 0) schedule();
    else clearTimeout(farewell);
  }

  once?.call(hostProcess(), 'beforeExit', () => {
    if (lastMessageAt === 0) return;
    send({ type: 'exit' });
    flush();
    if (isSending) farewell = setTimeout(() => {}, FAREWELL);
  });

  function send(message: object): void {
    const now = Date.now();
    if (now < pausedUntil) {
      lost++;
      return;
    }
    try {
      const text = JSON.stringify({ at: now, ...message }, shorten);
      if (queue.length >= MAX_MESSAGES || characters + text.length > MAX_CHARACTERS) {
        lost++;
        return;
      }
      queue.push(text);
      characters += text.length;
      lastMessageAt = now;
      schedule();
      scheduleHeartbeat();
    } catch {
      lost++;
    }
  }

  return {
    send,
    work(change) {
      working += change;
    },
  };
}

/** Sends a request that does not keep the process alive, and returns its status. Other runtimes use `fetch`. */
async function request(url: string, init: RequestInit & { readonly body: string }): Promise<number> {
  const http = getBuiltinModule?.(url.startsWith('https:') ? 'node:https' : 'node:http');
  if (http === undefined) {
    const response = await fetch(url, init);
    await response.body?.cancel();
    return response.status;
  }
  return new Promise((resolve, reject) => {
    const sent = http.request(url, init as object, response => resolve(response.resume().statusCode ?? 0));
    sent.on('socket', socket => socket.unref()).on('error', reject);
    sent.end(init.body);
  });
}

/** Replaces what JSON cannot express. `toJSON` has already changed buffers, so it reads the original value. */
function shorten(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const original = this[name];
  if (ArrayBuffer.isView(original)) return `(${original.byteLength} bytes)`;
  if (typeof value === 'string' && value.length > MAX_STRING)
    return `${value.slice(0, MAX_STRING)}… (${value.length - MAX_STRING} more characters)`;
  return typeof value === 'bigint' ? String(value) : value;
}
