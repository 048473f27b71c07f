import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { withTrailer } from '../../../src/tools/mcp/followed-by.js';

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: controller => controller.enqueue(new TextEncoder().encode('0123456789')),
  });
}

it('breaks a body without end', async () => {
  const body = withTrailer(endless(), { onEnd: () => undefined, maxBytes: 100 });
  await expect(text(body)).rejects.toThrow('The server sent more than 100 bytes.');
});

it('lets its follower speak behind a body that was too long', async () => {
  const body = withTrailer(endless(), { onEnd: () => 'the end', maxBytes: 20 });
  expect(await text(body)).toBe('01234567890123456789the end');
});
