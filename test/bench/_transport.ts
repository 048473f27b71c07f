/** A `fetch` that answers every request with these bytes, cut into pieces of `size`; in one piece by default. */
export const answering =
  (body: Uint8Array, { size = body.length }: { size?: number } = {}): typeof fetch =>
  async () =>
    toResponse(toPieces(body, size));

/** An answer whose pieces are there when they are asked for, as those of a fast connection are. */
export function toResponse(pieces: Iterator<Uint8Array>): Response {
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { headers: EVENT_STREAM });
}

export const EVENT_STREAM = { 'content-type': 'text/event-stream' };

function* toPieces(body: Uint8Array, size: number): Generator<Uint8Array, undefined> {
  for (let start = 0; start < body.length; start += size) yield body.subarray(start, start + size);
}

/** Reads a stream to its end, as a host does. */
export async function drain(stream: ReadableStream<unknown>): Promise<void> {
  const reader = stream.getReader();
  for (let { done } = await reader.read(); !done; { done } = await reader.read());
}
