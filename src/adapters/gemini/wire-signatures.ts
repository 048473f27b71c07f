import * as z from 'zod/v4';

const wireCalls = z
  .object({
    tool_calls: z
      .array(
        z.object({
          id: z.string().nullish(),
          function: z.object({ name: z.string().nullish() }).nullish(),
          extra_content: z
            .object({ google: z.object({ thought_signature: z.string().nullish() }).nullish() })
            .nullish(),
        }),
      )
      .nullish(),
  })
  .nullish();

/** A chat completion, or a chunk of one, as far as it tells of signatures. */
const wireAnswer = z.object({ choices: z.array(z.object({ delta: wireCalls, message: wireCalls })) });

interface WireCall {
  readonly id: string;
  readonly toolName: string;
  signature?: string;
}

/** Finds the thought signatures of an answer's calls in what the server has sent. */
export interface WireSignatures {
  /** Reads a whole answer, or the next chunk of one. What is no chat completion is passed over. */
  read(answer: unknown): void;
  /** The signature of the next call of that id or, where the server gave none, of that name. */
  take(call: { toolCallId: string; toolName: string }): string | undefined;
}

export function createWireSignatures(): WireSignatures {
  const calls: WireCall[] = [];
  return {
    read(answer) {
      for (const { delta, message } of wireAnswer.safeParse(answer).data?.choices ?? []) {
        for (const { id, function: tool, extra_content: extra } of (delta ?? message)?.tool_calls ?? []) {
          const known = id ? calls.find(one => one.id === id) : undefined;
          if (known === undefined && tool?.name) calls.push({ id: id ?? '', toolName: tool.name });
          const call = known ?? calls.at(-1);
          const signature = extra?.google?.thought_signature;
          if (call !== undefined && signature) call.signature = signature;
        }
      }
    },
    take({ toolCallId, toolName }) {
      let index = calls.findIndex(({ id }) => id !== '' && id === toolCallId);
      if (index < 0) index = calls.findIndex(call => call.id === '' && call.toolName === toolName);
      return index < 0 ? undefined : calls.splice(index, 1)[0]?.signature;
    },
  };
}
