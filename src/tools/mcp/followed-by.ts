interface TrailerOptions {
  onChunk?: (chunk: Uint8Array) => void;
  /**
   * Called once when the body ends or breaks; the text it returns comes in place of the end or the error.
   * Nothing (`undefined`) leaves the end as it is.
   */
  onEnd: () => string | undefined;
  /** A longer body breaks. @default 256 MiB */
  maxBytes?: number;
}

/** What a server may send in one body, as in one message of a process. */
const maxBodyBytes = 256 * 1024 * 1024;

/** A body passed on unchanged, with something to say after it. */
export function withTrailer(
  body: ReadableStream<Uint8Array>,
  { onChunk, onEnd, maxBytes = maxBodyBytes }: TrailerOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let byteCount = 0;

  async function readNext(): Promise<{ value?: Uint8Array; done?: boolean; error?: unknown }> {
    try {
      const next = await reader.read();
      byteCount += next.value?.byteLength ?? 0;
      if (byteCount <= maxBytes) return next;
      await reader.cancel();
      throw new Error(`The server sent more than ${maxBytes} bytes.`);
    } catch (error) {
      return { error };
    }
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done, error } = await readNext();
      if (value) {
        onChunk?.(value);
        controller.enqueue(value);
        return;
      }
      const ending = onEnd();
      if (!done && ending === undefined) return controller.error(error);
      if (ending) controller.enqueue(new TextEncoder().encode(ending));
      controller.close();
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
}
