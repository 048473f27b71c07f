import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { type ReadResponseOptions, readResponse } from '../../src/responses/stream/read-response.js';
import { checkParts } from '../_parts.js';

/** Reads a body that arrives in the given chunks, and checks that its parts are well-formed. */
export async function readParts(
  chunks: readonly Uint8Array[],
  options: Partial<ReadResponseOptions> = {},
): Promise<LanguageModelV2StreamPart[]> {
  const waiting = [...chunks];
  let generated = 0;
  const response = readResponse({
    close: () => {},
    read: async () => waiting.shift(),
    errorContext: { url: 'http://server.test/v1/responses', requestBody: {}, redact: text => text },
    redactKnown: text => text,
    toToolName: name => name,
    declared: { names: new Set(), nameById: new Map(), undeclared: 'full' },
    isKept: false,
    generateId: () => `generated-${generated++}`,
    ...options,
  });
  const parts: LanguageModelV2StreamPart[] = [];
  for (let batch = await response.next(); batch !== undefined; batch = await response.next())
    parts.push(...batch);
  checkParts(parts);
  return parts;
}
