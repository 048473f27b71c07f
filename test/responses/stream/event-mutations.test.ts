import { expect, it } from 'vitest';
import { mutationsOf } from '../../_mutations.js';
import { summarize } from '../../_parts.js';
import { toSse, type WireEvent } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { functionCall, message, reasoning, toStream } from './_fixtures/wire-events.js';

const INPUT = '{"city":"Rome"}';
const TEXT = 'Hello there';

const STREAMS: Readonly<Record<string, readonly WireEvent[]>> = {
  text: toStream([reasoning({}), message(['Hello ', 'there'])]),
  call: toStream([functionCall('weather', INPUT)]),
};

/** Number of mutations of which one is tried. `MUTATIONS=all` tries all. */
const STEP = process.env.MUTATIONS === 'all' ? 1 : 3;

/** Members that contain the answer itself. Another name or text is another answer, and a status decides about the call. */
const isContent = (path: readonly (string | number)[]): boolean =>
  ['delta', 'text', 'arguments', 'name', 'type'].includes(String(path.at(-1))) ||
  /content|summary/.test(path.join('.'));

it.each(Object.entries(STREAMS))(
  'one member of an event: %s arrives once and unchanged, or is an error',
  async (kind, events) => {
    const problems: string[] = [];
    let count = 0;
    for (const [at, event] of events.entries()) {
      for (const { path, change, value } of mutationsOf(event)) {
        if (count++ % STEP !== 0) continue;
        const changed = events.map((other, index) => (index === at ? (value as WireEvent) : other));
        const { texts, calls, errors, finishReason } = summarize(
          await readParts([new TextEncoder().encode(toSse(changed))]),
        );
        const text = texts.join('');
        const hasFailed = errors.length > 0 || finishReason === 'error' || finishReason === 'other';
        const name = `${event.type} ${path.join('.')} = ${change}`;
        const isTwice = kind === 'text' ? text.length > TEXT.length : calls.length > 1;
        const isInvented = calls.some(
          call => call.input !== INPUT && call.input !== '{}' && !isContent(path),
        );
        const isLost =
          !hasFailed && !isContent(path) && (kind === 'text' ? text !== TEXT : calls[0]?.input !== INPUT);
        if (isTwice || isInvented || isLost)
          problems.push(`${name}: ${JSON.stringify({ text, calls, finishReason })}`);
      }
    }
    expect(count).toBeGreaterThan(200);
    expect(problems).toEqual([]);
  },
);
