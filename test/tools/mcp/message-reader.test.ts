import { expect, it } from 'vitest';
import { createMessageReader } from '../../../src/tools/mcp/message-reader.js';

const messages = [
  { jsonrpc: '2.0', id: 1, result: { text: 'Grüße 🌍' } },
  { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 2 } },
];
const bytes = Buffer.from(
  `${JSON.stringify(messages[0])}\r\n\nnot a message\n${JSON.stringify(messages[1])}\n`,
);

it.each([1, 2, 3, 7, 64, 10_000])('reads the same messages from chunks of %i bytes', size => {
  const read: unknown[] = [];
  const errors: Error[] = [];
  const push = createMessageReader({
    onMessage: message => read.push(message),
    onError: error => errors.push(error),
  });
  for (let start = 0; start < bytes.length; start += size) push(bytes.subarray(start, start + size));
  expect(read).toEqual(messages);
  expect(errors).toHaveLength(1);
});

it('refuses a message beyond the limit before it has all of it', () => {
  const push = createMessageReader({ onMessage: () => {}, onError: () => {}, maxBytes: 10 });
  push(Buffer.from('12345'));
  expect(() => push(Buffer.from('678901'))).toThrow('more than 10 bytes');
});
