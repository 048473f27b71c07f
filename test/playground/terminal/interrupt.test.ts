import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { clearOrClose } from '../../../playground/terminal/interrupt.js';

it('clears a half-typed line with Ctrl-C, also from its middle, and closes an empty one', async () => {
  const input = new PassThrough();
  const lines = createInterface({ input, output: new PassThrough(), terminal: true });
  lines.on('SIGINT', () => clearOrClose(lines));
  const left = '\u001b[D';
  input.write(`half a line${left.repeat(4)}\u0003`);
  await expect.poll(() => lines.line).toBe('');
  const entered = once(lines, 'line');
  input.write('next\r');
  const [line] = (await entered) as [string];
  const closed = once(lines, 'close');
  input.write('\u0003');
  await closed;

  expect(line).toBe('next');
});
