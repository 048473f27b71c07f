import { once } from 'node:events';
import { createServer } from 'node:net';

/** The ports below those that a system gives to `listen(0)` and to outgoing connections. */
const RANGE = { from: 20_000, count: 10_000 };

/**
 * Finds a port of 127.0.0.1 on which no server listens, for a process that has to know its port before it listens. Nobody
 * else gets a port of this range by chance, so that it is still free when the process has started.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = RANGE.from + Math.floor(Math.random() * RANGE.count);
    const probe = createServer();
    const isFree = await once(probe.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
