import { deserializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

const newline = 0x0a;

/** What a server may send in one message: a large image in base64 is a few tens of megabytes. */
const maxMessageBytes = 256 * 1024 * 1024;

/**
 * Cuts standard output into JSON-RPC messages, one a line.
 *
 * The SDK's `ReadBuffer` copies all it holds for every chunk, which takes seconds for a large image, and its
 * limit of 10 MiB ends the connection for a result of 11.
 *
 * @returns A function that takes the next chunk, and throws when a message is beyond all measure.
 */
export function createMessageReader({
  onMessage,
  onError,
  maxBytes = maxMessageBytes,
}: {
  onMessage: (message: JSONRPCMessage) => void;
  /** A line that is no message, such as a log line that strayed to standard output. */
  onError: (error: Error) => void;
  maxBytes?: number;
}): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let byteCount = 0;

  function readLine(line: string): void {
    if (line.trim() === '') return;
    try {
      onMessage(deserializeMessage(line));
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  }

  return chunk => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end));
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      byteCount = 0;
      start = end + 1;
      readLine(line);
    }
    parts.push(chunk.subarray(start));
    byteCount += chunk.length - start;
    if (byteCount > maxBytes) throw new Error(`The server sent a message of more than ${maxBytes} bytes.`);
  };
}
