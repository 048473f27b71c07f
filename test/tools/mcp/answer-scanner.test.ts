import { expect, it } from 'vitest';
import { createAnswerScanner } from '../../../src/tools/mcp/answer-scanner.js';

const stream = [
  ': hello\n\n',
  'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"result":1},"id":9}\r\n\r\n',
  'id: event-1\rdata: {"jsonrpc":"2.0",\rdata: "id":1,"result":{"text":"ü"}}\r\r',
  'data:{"jsonrpc":"2.0","id":"two","error":{"code":1,"message":"no"}}\n\n',
  'data: {"half": "result"',
].join('');

it.each([1, 2, 5, 1000])('finds the answers in chunks of %i bytes', size => {
  const answers: unknown[] = [];
  const scanner = createAnswerScanner({ onAnswer: (id, kind) => answers.push([id, kind]) });
  const bytes = new TextEncoder().encode(stream);
  for (let start = 0; start < bytes.length; start += size) scanner.push(bytes.subarray(start, start + size));
  expect(answers).toEqual([
    [1, 'result'],
    ['two', 'error'],
  ]);
  expect(scanner.isResumable).toBe(true);
});

it('takes a stream without event ids for one that cannot be resumed', () => {
  const scanner = createAnswerScanner({ onAnswer: () => {} });
  scanner.push(new TextEncoder().encode('retry: 10\nid:\ndata: {}\n\n'));
  expect(scanner.isResumable).toBe(false);
});
