import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Finds a port of 127.0.0.1 on which no server listens. */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
