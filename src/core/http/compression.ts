import type { FetchFunction } from '@ai-sdk/provider-utils';
import type { Warning } from '../part.js';

/** Options for compressing request bodies. */
export interface CompressionOptions {
  /** Length in characters from which a body is compressed. @default 100000 */
  threshold?: number;
}

/** Receives the warnings of one call. */
export type Warn = (warning: Warning) => void;

/**
 * Returns for each call a `fetch` that compresses long JSON bodies with gzip. If the server does not accept them, the
 * request is sent again without compression, with one warning, and so are all later ones. The warning goes to the first
 * call that can show one. A rejection with the status 400 may have another cause, so it counts only until a compressed
 * request was accepted.
 */
export function withCompression(
  fetch: FetchFunction,
  options: CompressionOptions = {},
): (warn?: Warn) => FetchFunction {
  let isAccepted: boolean | undefined;
  let warning: Warning | undefined;
  let isReported = false;
  return warn => async (input, init) => {
    const body = init?.body;
    report(warn);
    if (isAccepted === false || typeof body !== 'string' || body.length < (options.threshold ?? 100_000))
      return fetch(input, init);
    const compressed = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'));
    const headers = new Headers(init?.headers);
    headers.set('content-encoding', 'gzip');
    // A body of known length, which can be sent again after a redirect.
    const bytes = await new Response(compressed).arrayBuffer();
    const response = await fetch(input, { ...init, headers: Object.fromEntries(headers), body: bytes });
    if (response.ok) isAccepted = true;
    const mayBeRefused = response.status === 415 || (response.status === 400 && isAccepted !== true);
    if (!mayBeRefused) return response;
    const plain = await fetch(input, init);
    if (plain.ok || response.status === 415) {
      isAccepted = false;
      const message = `The request was sent again without compression, because the server rejected the compressed one with the status ${response.status}. Later requests are not compressed; remove the setting \`compression\`.`;
      warning ??= { type: 'other', message };
      report(warn);
    }
    await response.body?.cancel();
    return plain;
  };

  function report(warn: Warn | undefined): void {
    if (warn === undefined || warning === undefined || isReported) return;
    isReported = true;
    warn(warning);
  }
}
