import { createLineSplitter } from '../../shared/line-splitter.js';
import { deserializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

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
}): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  const lines = createLineSplitter(readLine, { lineEnd: 'lf' });

  function readLine(line: string): void {
    if (line.trim() === '') return;
    try {
      onMessage(deserializeMessage(line));
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  }

  return chunk => {
    lines.push(decoder.decode(chunk, { stream: true }));
    // A character takes at least one byte.
    if (lines.bufferedLength > maxBytes)
      throw new Error(`The server sent a message of more than ${maxBytes} bytes.`);
  };
}
