import { readUIMessageStream, type UIMessageChunk } from 'ai';
import type { PlaygroundMessage } from '../../shared/playground-state.js';

/** Joins successive deltas of one block. */
export function compactChunks(chunks: readonly UIMessageChunk[]): UIMessageChunk[] {
  const compacted: UIMessageChunk[] = [];
  for (const chunk of chunks) {
    const joined = joinDeltas(compacted.at(-1), chunk);
    if (joined === undefined) compacted.push(chunk);
    else compacted[compacted.length - 1] = joined;
  }
  return compacted;
}

function joinDeltas(first: UIMessageChunk | undefined, second: UIMessageChunk): UIMessageChunk | undefined {
  if (first?.type === 'tool-input-delta' && second.type === 'tool-input-delta') {
    if (first.toolCallId !== second.toolCallId) return undefined;
    return { ...first, inputTextDelta: first.inputTextDelta + second.inputTextDelta };
  }
  if (first?.type !== second.type || (second.type !== 'text-delta' && second.type !== 'reasoning-delta')) {
    return undefined;
  }
  const before = first as typeof second;
  return before.id === second.id ? { ...before, ...second, delta: before.delta + second.delta } : undefined;
}

/** Creates the message of a stream. */
export async function toMessage(
  chunks: readonly UIMessageChunk[],
  { id }: { id: string },
): Promise<PlaygroundMessage> {
  let message: PlaygroundMessage = { id, role: 'assistant', parts: [] };
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  for await (const next of readUIMessageStream<PlaygroundMessage>({ stream })) message = next;
  return { ...message, id };
}

export interface ChunkGuard {
  /** Returns the chunks that replace a chunk, so that the stream can be read. */
  check(chunk: UIMessageChunk): readonly UIMessageChunk[];
}

/** Reports chunks that make `ai` throw while it reads a stream, and repairs or omits them. */
export function createChunkGuard({ onProblem }: { onProblem: (message: string) => void }): ChunkGuard {
  const open = new Set<string>();
  const calls = new Set<string>();
  const reported = new Set<string>();
  function report(key: string, message: string): void {
    // Once per block: each following delta has the same problem.
    if (!reported.has(key)) onProblem(message);
    reported.add(key);
  }

  return {
    check(chunk) {
      switch (chunk.type) {
        case 'text-start':
        case 'reasoning-start':
          open.add(`${chunk.type.split('-')[0]} ${chunk.id}`);
          return [chunk];
        case 'text-delta':
        case 'reasoning-delta':
        case 'text-end':
        case 'reasoning-end': {
          const [kind = '', part = ''] = chunk.type.split('-');
          const key = `${kind} ${chunk.id}`;
          const isOpen = open.has(key);
          if (part === 'end') open.delete(key);
          else open.add(key);
          if (isOpen) return [chunk];
          report(key, `${chunk.type} of the block ${JSON.stringify(chunk.id)} without ${kind}-start`);
          if (part === 'end') return [];
          return [{ type: `${kind}-start` as 'text-start' | 'reasoning-start', id: chunk.id }, chunk];
        }
        case 'tool-input-start':
        case 'tool-input-available':
        case 'tool-input-error':
          calls.add(chunk.toolCallId);
          return [chunk];
        case 'tool-input-delta':
        case 'tool-output-available':
        case 'tool-output-error':
          if (calls.has(chunk.toolCallId)) return [chunk];
          report(
            `call ${chunk.toolCallId}`,
            `${chunk.type} of an unknown call ${JSON.stringify(chunk.toolCallId)}`,
          );
          return [];
        default:
          return [chunk];
      }
    },
  };
}

/** An error that `ai` adds to a stream after a chunk that the guard has reported. */
export const isReportedError = (chunk: UIMessageChunk): boolean =>
  chunk.type === 'error' && /^(text|reasoning) part .* not found$/.test(chunk.errorText);
