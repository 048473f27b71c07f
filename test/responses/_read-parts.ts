import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import type { ToolPartsMode } from '../../src/core/call.js';
import type { Part } from '../../src/core/part.js';
import type { HostDeclarations } from '../../src/responses/stream/hosted-item.js';
import { type ReadResponseOptions, readResponse } from '../../src/responses/stream/read-response.js';
import type { HostVersion } from '../../src/core/versions/specification.js';
import { createPartWriter } from '../../src/core/versions/write-response.js';
import { VERSIONS } from '../../src/core/versions/versions.js';
import { checkParts } from '../_parts.js';

export interface ReadOptions extends Omit<ReadResponseOptions, 'declared'> {
  readonly declared: Omit<HostDeclarations, 'host'> & {
    readonly undeclared: ToolPartsMode;
    /** @default 'v2' */
    readonly host?: HostVersion;
  };
}

/** Reads a body that arrives in the given chunks. Returns the parts as the host of a version receives them. */
export async function readParts(
  chunks: readonly Uint8Array[],
  { declared, ...options }: Partial<ReadOptions> = {},
): Promise<LanguageModelV2StreamPart[]> {
  const {
    undeclared = 'full',
    host = 'v2',
    ...tools
  } = declared ?? { names: new Set(), nameById: new Map() };
  const version = VERSIONS[host];
  const parts = await readCoreParts(chunks, {
    ...options,
    declared: { ...tools, host: { ...version.facts, undeclaredCalls: undeclared } },
  });
  const written: LanguageModelV2StreamPart[] = [];
  const write = createPartWriter(
    version,
    { isStream: true },
    part => void written.push(part as unknown as LanguageModelV2StreamPart),
  );
  parts.forEach(write);
  checkParts(written);
  return written;
}

/** Reads a body that arrives in the given chunks. */
async function readCoreParts(
  chunks: readonly Uint8Array[],
  options: Partial<ReadResponseOptions> = {},
): Promise<Part[]> {
  const waiting = [...chunks];
  let generated = 0;
  const response = readResponse({
    close: () => {},
    read: async () => waiting.shift(),
    errorContext: { url: 'http://server.test/v1/responses', requestBody: {}, redact: text => text },
    redactKnown: text => text,
    toToolName: name => name,
    declared: {
      names: new Set(),
      nameById: new Map(),
      host: { ...VERSIONS.v2.facts, undeclaredCalls: 'full' },
    },
    isKept: false,
    generateId: () => `generated-${generated++}`,
    ...options,
  });
  const parts: Part[] = [];
  for (let batch = await response.next(); batch !== undefined; batch = await response.next())
    parts.push(...batch);
  return parts;
}
