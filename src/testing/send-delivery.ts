import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery } from './delivery.js';

/** Carries out a delivery. Ends early and quietly when the other side hangs up. */
export async function sendDelivery(
  { status, headers, steps }: Delivery,
  { to: response, signal }: { to: ServerResponse; signal: AbortSignal },
): Promise<void> {
  for (const step of steps) {
    if (signal.aborted) return;
    if (step === 'nothing') return;
    if (step === 'destroy') return void response.destroy();
    if (!response.headersSent) {
      response.writeHead(status, headers);
      response.flushHeaders();
    }
    if (step === 'silence') return;
    if (step === 'end') return void response.end();
    if ('wait' in step) await delay(step.wait, undefined, { signal }).catch(() => undefined);
    else await write(response, step.write);
  }
}

/** Waits until the data has left, so that a socket destroyed next takes none of it along. */
const write = (response: ServerResponse, data: string): Promise<void> =>
  new Promise(resolve => {
    response.write(data, () => resolve());
  });
