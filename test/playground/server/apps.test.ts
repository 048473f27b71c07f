import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startResponsesEmulator } from 'kelivo-responses/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Trace, toTrace } from '../../../playground/shared/trace.js';
import type { TraceEvent } from '../../../playground/shared/trace-event.js';
import type { TraceSummary } from '../../../playground/shared/trace-summary.js';
import { openPlayground, type TestPlayground } from './_playground.js';

void createRequire;

it('x', async () => {
  const playground = await openPlayground();
  const emulator = await startResponsesEmulator();
  onTestFinished(() => emulator.close());
  for (const [file, args] of [['express', []], ['agent', ['Call ask, please.']], ['provider', ['Call add with a 1 and b 2.']], ['provider', ['Call add.', 'generate']]] as const) {
    const child = spawn(process.execPath, [fileURLToPath(new URL(`_apps/${file}.mjs`, import.meta.url)), ...args], {
      env: { PATH: process.env.PATH, MODEL_URL: emulator.baseURL, KELIVO_PLAYGROUND_URL: playground.appUrl },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    if (file === 'express') {
      const [port] = await once(createInterface({ input: child.stdout }), 'line');
      const r = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: {'content-type': 'text/plain'}, body: 'Call add with 17 and 25.' });
      console.log(await r.text());
    } else await once(child, 'exit');
    await new Promise(r => setTimeout(r, 300));
    const list = (await playground.call('/api/traces')).json as TraceSummary[];
    console.log(JSON.stringify(list[0], null, 1));
    const { events } = (await playground.call(`/api/traces/${list[0]?.messageId}`)).json as { events: TraceEvent[] };
    console.log(events.map(e => JSON.stringify(e).slice(0, 160)).join('\n'));
    child.kill();
  }
  void vi; void toTrace; void ({} as Trace | ChildProcess | TestPlayground);
  expect(1).toBe(1);
});
