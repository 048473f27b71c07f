import { createParser } from 'eventsource-parser';
import { drain } from './_transport.js';

/** The minimal work to read a response: decodes the bytes, splits them into events and parses these. No parts, no stream. */
export async function readAtLimit({ body }: Response): Promise<void> {
  for await (const events of readEvents(body)) void events;
}

/** Like `readAtLimit`, and delivers each event in a stream, because a model must return one. */
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

/** Reads a response with `eventsource-parser`, which most clients use, and parses the data of each event. */
export async function readWithEventsourceParser({ body }: Response): Promise<void> {
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: ({ data }) => void JSON.parse(data) });
  for await (const bytes of body ?? []) parser.feed(decoder.decode(bytes, { stream: true }));
}

/** Maximum number of events in a batch. Each read of a stream shifts its whole queue, so long queues are slow. */
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
