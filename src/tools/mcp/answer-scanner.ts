import type { RequestId } from '@modelcontextprotocol/sdk/types.js';

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
  /** The pieces of the line that has not ended: joined once, as a result may be one line of many megabytes. */
  let openLine: string[] = [];
  let endsWithReturn = false;
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
      const text = decoder.decode(chunk, { stream: true });
      if (text === '') return;
      // A carriage return has ended its line; a line feed behind it belongs to the same end.
      const lines = (endsWithReturn ? text.replace(/^\n/, '') : text).split(/\r\n?|\n/);
      endsWithReturn = text.endsWith('\r');
      const rest = lines.pop() ?? '';
      for (const line of lines) {
        readLine(openLine.join('') + line);
        openLine = [];
      }
      openLine.push(rest);
    },
    get isResumable() {
      return isResumable;
    },
  };
}
