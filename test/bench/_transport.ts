/** Creates a `fetch` that responds to every request with these bytes in chunks of `size`; by default in one chunk. */
export const respondWith =
  (body: Uint8Array, { size = body.length }: { size?: number } = {}): typeof fetch =>
  async () =>
    toResponse(toChunks(body, size));

/** Creates a response whose chunks are available on demand, as on a fast connection. */
export function toResponse(chunks: Iterator<Uint8Array>): Response {
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { headers: EVENT_STREAM });
}

export const EVENT_STREAM = { 'content-type': 'text/event-stream' };

function* toChunks(body: Uint8Array, size: number): Generator<Uint8Array, undefined> {
  for (let start = 0; start < body.length; start += size) yield body.subarray(start, start + size);
}

/** Reads a stream to its end like a host does. */
export async function drain(stream: ReadableStream<unknown>): Promise<void> {
  const reader = stream.getReader();
  for (let { done } = await reader.read(); !done; { done } = await reader.read());
}
