import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { createLineSplitter } from '../../shared/line-splitter.js';

/** What an SSE stream of an MCP server has brought so far. */
export interface ResponseScanner {
  push(chunk: Uint8Array): void;
  /** Whether an event had an id, so that the SDK can take the stream up again. */
  readonly isResumable: boolean;
}

/** Watches a stream go by and reports each JSON-RPC answer in it, a result or an error. */
export function createResponseScanner({
  onAnswer,
}: {
  onAnswer: (id: RequestId, kind: 'result' | 'error') => void;
}): ResponseScanner {
  const decoder = new TextDecoder();
  const lines = createLineSplitter(readLine);
  let data: string[] = [];
  let isResumable = false;

  function readLine(line: string): void {
    if (line === '') readEvent();
    else if (line.startsWith('data:')) data.push(line.slice('data:'.length));
    else if (/^id: ?./.test(line)) isResumable = true;
  }

  function readEvent(): void {
    const text = data.join('\n');
    data = [];
    if (!/"(result|error)"/.test(text)) return;
    try {
      const message: { id?: RequestId; method?: string } = Object(JSON.parse(text));
      if (message.method !== undefined || message.id === undefined) return;
      if ('result' in message) onAnswer(message.id, 'result');
      else if ('error' in message) onAnswer(message.id, 'error');
    } catch {
      // Not JSON: the SDK reports it.
    }
  }

  return {
    push(chunk) {
      lines.push(decoder.decode(chunk, { stream: true }));
    },
    get isResumable() {
      return isResumable;
    },
  };
}
