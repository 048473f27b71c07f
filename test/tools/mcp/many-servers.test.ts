import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { call, fixtureServer, openTools } from './_fixture-server.js';
import { startHttpServer } from './_http-server.js';

it('causes no warning about listeners with 20 servers and 12 calls at once on one signal', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));

  const { config } = await fixtureServer();
  const { url } = await startHttpServer();
  const processes = Array.from({ length: 4 }, (_, index) => [`process-${index}`, config]);
  const web = Array.from({ length: 16 }, (_, index) => [
    `web-${index}`,
    { type: 'http', url: `${url}?server=${index}` },
  ]);
  const tools = openTools(Object.fromEntries([...processes, ...web]));
  const { signal } = new AbortController();
  const listing = await tools.listTools({ signal });
  const names = listing.tools.map(({ name }) => name).filter(name => /(^|[_-])echo$/.test(name));
  expect(names).toHaveLength(20);
  const calls = Array.from({ length: 240 }, (_, index) =>
    call(tools, names[index % 20] ?? '', {}, { signal }),
  );
  for (const output of await Promise.all(calls)) expect(output.type).toBe('text');

  // Warnings are emitted in a later tick.
  const { port1, port2 } = new MessageChannel();
  port2.postMessage('');
  await once(port1, 'message');
  port1.close();
  expect(warnings).toEqual([]);
});
