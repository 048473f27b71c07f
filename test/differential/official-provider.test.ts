import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toSse } from '../_sse.js';
import { RESPONSE_FIXTURES } from '../responses/stream/_fixtures/responses.js';
import { KNOWN_DIFFERENCES } from './_known-differences.js';
import { COMPARED_MAJORS, readWithBoth, toOptions } from './_providers.js';

const folder = process.env.RESPONSES_RECORDINGS;
const recordings =
  folder === undefined
    ? []
    : readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter(name => name.endsWith('.sse'))
        .sort();
if (folder === undefined)
  process.stderr.write('Skipping the comparison of recordings: RESPONSES_RECORDINGS names no folder.\n');

describe.each(COMPARED_MAJORS)('@ai-sdk/openai $major', compared => {
  const known = KNOWN_DIFFERENCES[compared.major];
  const compare = (body: string) => readWithBoth(compared, { body, options: toOptions(compared) });

  describe('fixtures', () => {
    it.each(RESPONSE_FIXTURES)('$title', async ({ title, events }) => {
      const { ours, official } = await compare(toSse(events));
      // A listed stream that is read equally is an outdated entry.
      if (known[title] === undefined) expect(ours).toEqual(official);
      else expect(ours).not.toEqual(official);
    });
  });

  describe('recordings', () => {
    if (folder === undefined) {
      it.skip('are compared if RESPONSES_RECORDINGS names a folder', () => {});
      return;
    }
    it.each(recordings)('%s', async name => {
      const { ours, official } = await compare(readFileSync(join(folder, name), 'utf8'));
      if (known[name] === undefined) expect(ours).toEqual(official);
      else expect(ours).not.toEqual(official);
    });
  });
});
