import { createParser } from 'eventsource-parser';
import { drain } from './_transport.js';

/**
 * The least that reading an answer can cost: the bytes are decoded, split into events, and parsed. No state, no parts,
 * no stream for a host to read.
 */
export async function readAtLimit({ body }: Response): Promise<void> {
  for await (const events of readEvents(body)) void events;
}

/** The same, and a stream for a host to read, as a model has to return one: of each event, a part. */
export async function streamAtLimit({ body }: Response): Promise<void> {
  const batches = readEvents(body);
  await drain(
    new ReadableStream(
      {
        async pull(controller) {
          const { done, value } = await batches.next();
          if (done) controller.close();
          else for (const event of value) controller.enqueue(event);
        },
      },
      { highWaterMark: 0 },
    ),
  );
}

/** What is written with the parser that most clients use: events, parsed, without any meaning. */
export async function readWithEventsourceParser({ body }: Response): Promise<void> {
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: ({ data }) => void JSON.parse(data) });
  for await (const bytes of body ?? []) parser.feed(decoder.decode(bytes, { stream: true }));
}

/** How many events a batch has at most: a stream shifts all that waits in it for each that is read. */
const BATCH = 64;

async function* readEvents(body: ReadableStream<Uint8Array> | null): AsyncGenerator<unknown[], undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body ?? []) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (let start = 0; start < blocks.length; start += BATCH) {
      yield blocks.slice(start, start + BATCH).map(parse);
    }
  }
  return undefined;
}

const parse = (block: string): unknown => JSON.parse(block.slice(block.indexOf('data: ') + 6));
