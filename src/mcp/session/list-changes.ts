import { type Client, ProtocolError } from '@modelcontextprotocol/client';
import { onceAborted, untilAborted } from '../../shared/abort.js';

/** The stream on which a server announces changes of its tools, since revision 2026-07-28. */
export interface ListChanges {
  /** True while announcements are received. */
  readonly isOpen: boolean;
}

interface ListChangesOptions {
  /** Called when the stream was interrupted, because changes of that time were not announced. */
  onMissed: () => void;
  /** Maximum time until the server confirms the stream, in milliseconds. */
  timeout: number;
  /** Ends the stream. */
  signal: AbortSignal;
}

/** Time before an ended stream is opened again, in milliseconds. It doubles with each failure up to the maximum. */
const retryDelay = { first: 1000, maximum: 60_000 };

/**
 * Keeps a `subscriptions/listen` stream open. The announcements themselves are ordinary notifications of the client.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/subscriptions
 *
 * Corrects the MCP SDK (2.4.0), which does not open the stream again after the server ended it. Test of the bare SDK: "a
 * stream for announcements is not opened again" in test/mcp/sdk-corrections.test.ts.
 */
export function followListChanges(client: Client, options: ListChangesOptions): ListChanges {
  let isOpen = false;

  async function follow({ onMissed, timeout, signal }: ListChangesOptions): Promise<void> {
    for (let delay = retryDelay.first; ; delay = Math.min(delay * 2, retryDelay.maximum)) {
      const openedAt = performance.now();
      try {
        const stream = await client.listen({ toolsListChanged: true }, { timeout, signal });
        if (stream.honoredFilter.toolsListChanged !== true) return await stream.close();
        isOpen = true;
        const end = await stream.closed;
        isOpen = false;
        if (end === 'local') return;
        onMissed();
      } catch (error) {
        if (error instanceof ProtocolError) return; // the server offers no stream
      }
      if (performance.now() - openedAt > retryDelay.maximum) delay = retryDelay.first;
      await waitUnreferenced(delay * (0.5 + Math.random() / 2), signal);
    }
  }

  // Rejects only when the signal aborts.
  follow(options).catch(() => {});
  return {
    get isOpen() {
      return isOpen;
    },
  };
}

/** Waits without keeping the process alive. Rejects with the signal's reason when it aborts. */
async function waitUnreferenced(milliseconds: number, signal: AbortSignal): Promise<void> {
  let stop = (): void => {};
  const waited = new Promise<void>(resolve => {
    const timer = setTimeout(resolve, milliseconds);
    if (typeof timer === 'object') timer.unref();
    stop = onceAborted(signal, () => clearTimeout(timer));
  });
  try {
    await untilAborted(waited, signal);
  } finally {
    stop();
  }
}
