import { expect, it } from 'vitest';
import type { CoreCall } from '../../src/core/call.js';
import type { Part } from '../../src/core/part.js';
import { partsOf } from '../../src/core/source.js';
import { type BegunResponse, NO_MORE, type Opener, openStream } from '../../src/responses/open-stream.js';

const RETRIES = { maxRetries: 2, initialDelay: 1 };
const TEXT: Part = { type: 'text-start', id: '1' };

const toCall = (round: number, abortSignal?: AbortSignal): CoreCall =>
  ({ prompt: [], own: {}, isStream: true, abortSignal, turn: { id: 't', round } }) as object as CoreCall;

const toResponse = (head: readonly Part[]): BegunResponse => ({
  reader: NO_MORE,
  head,
  url: 'http://server.test/v1/responses',
  body: {},
  headers: {},
  warnings: () => [],
  close() {},
});

it('a stream opens before its content once', async () => {
  const openers: ReturnType<Opener>[] = [];
  const send = async (opener: Opener): Promise<BegunResponse> => {
    openers.push(opener());
    openers[0]?.(toResponse([{ type: 'response-metadata', id: 'r' }]));
    openers.push(opener());
    return toResponse([TEXT]);
  };
  const types: string[] = [];
  for await (const { type } of partsOf(await openStream(toCall(1), send, RETRIES))) types.push(type);
  expect(types).toEqual(['stream-start', 'response-metadata', 'text-start']);
  expect(openers).toEqual([expect.any(Function), undefined]);
});

it.each([
  ['in a later round', toCall(2), RETRIES],
  ['without retries', toCall(1), { ...RETRIES, maxRetries: 0 }],
])('a stream opens with its content %s', async (_, call, retries) => {
  const openers: ReturnType<Opener>[] = [];
  const source = await openStream(
    call,
    async opener => {
      openers.push(opener());
      return toResponse([TEXT]);
    },
    retries,
  );
  expect(openers).toEqual([undefined]);
  expect(await source.next()).toEqual([{ type: 'stream-start', warnings: [] }, TEXT]);
});

it.each([1, 2])('a call that was aborted reads no further in round %i', async round => {
  const controller = new AbortController();
  const reason = new Error('The user left.');
  const opened = openStream(
    toCall(round, controller.signal),
    async opener => {
      controller.abort(reason);
      opener();
      return toResponse([TEXT]);
    },
    RETRIES,
  );
  await expect(opened).rejects.toBe(reason);
});
