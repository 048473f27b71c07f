interface FollowOptions {
  onChunk?: (chunk: Uint8Array) => void;
  /**
   * Called once when the body ends or breaks; the text it returns comes in place of the end or the error.
   * Nothing (`undefined`) leaves the end as it is.
   */
  onEnd: () => string | undefined;
}

/** A body passed on unchanged, with something to say after it. */
export function followedBy(
  body: ReadableStream<Uint8Array>,
  { onChunk, onEnd }: FollowOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done, error } = await readNext(reader);
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

async function readNext(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<{ value?: Uint8Array; done?: boolean; error?: unknown }> {
  try {
    return await reader.read();
  } catch (error) {
    return { error };
  }
}
