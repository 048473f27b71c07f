import { expect, it } from 'vitest';
import { createResponseScanner } from '../../../src/tools/mcp/answer-scanner.js';

const stream = [
  ': hello\n\n',
  'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"result":1},"id":9}\r\n\r\n',
  'id: event-1\rdata: {"jsonrpc":"2.0",\rdata: "id":1,"result":{"text":"ü"}}\r\r',
  'data:{"jsonrpc":"2.0","id":"two","error":{"code":1,"message":"no"}}\n\n',
  'data: {"half": "result"',
].join('');

it.each([1, 2, 5, 1000])('finds the answers in chunks of %i bytes', size => {
  const answers: unknown[] = [];
  const scanner = createResponseScanner({ onAnswer: (id, kind) => answers.push([id, kind]) });
  const bytes = new TextEncoder().encode(stream);
  for (let start = 0; start < bytes.length; start += size) scanner.push(bytes.subarray(start, start + size));
  expect(answers).toEqual([
    [1, 'result'],
    ['two', 'error'],
  ]);
  expect(scanner.isResumable).toBe(true);
});

it('takes a stream without event ids for one that cannot be resumed', () => {
  const scanner = createResponseScanner({ onAnswer: () => {} });
  scanner.push(new TextEncoder().encode('retry: 10\nid:\ndata: {}\n\n'));
  expect(scanner.isResumable).toBe(false);
});

it('takes time in proportion to the length of a line', () => {
  const chunk = new TextEncoder().encode('a'.repeat(16_384));
  const answers: unknown[] = [];
  const scanner = createResponseScanner({ onAnswer: id => answers.push(id) });
  scanner.push(new TextEncoder().encode('data: {"id":1,"result":"'));
  const start = performance.now();
  for (let count = 0; count < 1024; count++) scanner.push(chunk);
  scanner.push(new TextEncoder().encode('"}\n\n'));
  expect(performance.now() - start).toBeLessThan(1500);
  expect(answers).toEqual([1]);
});

it('reports an answer when its last line has ended, though a line feed may follow', () => {
  const answers: unknown[] = [];
  const scanner = createResponseScanner({ onAnswer: id => answers.push(id) });
  for (const text of ['data: {"id":1,"result":2}\r', '', '\n\r'])
    scanner.push(new TextEncoder().encode(text));
  expect(answers).toEqual([1]);
  scanner.push(new TextEncoder().encode('\ndata: {"id":2,"result":2}\r\n\r\n'));
  expect(answers).toEqual([1, 2]);
});
