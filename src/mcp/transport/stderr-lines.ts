import { createRedactor } from '../../redaction/redaction.js';
import { createLineSplitter } from '../../http/text-stream.js';
import type { McpStdioServerConfig } from '../config/config.js';
import { secretsOf } from '../auth/secrets.js';
import { toPlainText } from './untrusted-input.js';

/** Maximum length of the part of a line that is read, in characters. */
const maxReadLength = 16 * 1024;

/**
 * Length of the end of a shortened line that is left out, in characters. A secret that the limit has cut in two is in
 * this part, and is not recognized.
 */
const unsafeLength = 4 * 1024;

/** Shorter lines of a secret with several lines occur in innocent text. */
const minSecretLineLength = 8;

/** Reads the bytes that a process writes to its standard error. */
export interface StderrReader {
  push(chunk: Uint8Array): void;
  /** Emits an unfinished last line. */
  end(): void;
}

/**
 * Splits standard error into lines without secrets and terminal sequences. At most `maxReadLength` characters of a line are
 * kept, so that a server that writes no line end needs no more memory. Errors of `onLine` are ignored.
 */
export function createStderrReader(
  config: McpStdioServerConfig,
  onLine: (line: string) => void,
): StderrReader {
  const { redact } = createRedactor(secretsOf(config).flatMap(toLines));
  const decoder = new TextDecoder();
  const lines = createLineSplitter(emit);
  /** True while the rest of a shortened line is skipped. */
  let isSkipping = false;

  function emit(line: string): void {
    if (isSkipping) isSkipping = false;
    else show(line);
  }

  function show(line: string): void {
    const text = redact(toPlainText(line.slice(0, maxReadLength)));
    const shown = line.length > maxReadLength ? `${text.slice(0, -unsafeLength)}… (line shortened)` : text;
    if (shown.trim() === '') return;
    try {
      onLine(shown);
    } catch {
      // An observer must not end the connection.
    }
  }

  return {
    push(chunk) {
      lines.push(decoder.decode(chunk, { stream: true }));
      if (lines.bufferedLength <= maxReadLength) return;
      lines.end();
      isSkipping = true;
    },
    end() {
      lines.push(decoder.decode());
      lines.end();
    },
  };
}

/** Returns a secret, and its lines if it has several, such as a private key. */
const toLines = (secret: string): string[] => [
  secret,
  ...secret.split(/[\r\n]+/).filter(line => line.length >= minSecretLineLength),
];
