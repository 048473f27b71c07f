import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../playground/server/redaction/redactor.js';
import { redactTraces } from '../../../playground/server/redaction/trace-redaction.js';
import type { TraceEvent } from '../../../playground/shared/trace-event.js';

// A search that takes quadratic time needs minutes for these texts, so that the tests time out.
const redactor = createRedactor(() => []);

describe('redaction of long texts', () => {
  it('searches a response of 20,000 deltas', () => {
    const events = Array.from({ length: 20_000 }, (_, index): TraceEvent => {
      const name = 'response.output_text.delta';
      const data = { type: name, item_id: 'msg_1', output_index: 0, delta: 'ipsum ', logprobs: [], index };
      return { type: 'wire', at: index, exchange: 1, name, data };
    });
    const secret = { ...events[0], data: { type: 'x', delta: `sk-${'a1B2'.repeat(6)} ` } } as TraceEvent;
    const [redacted = []] = redactTraces([[...events, secret]], { redactor });

    expect(redacted).toHaveLength(20_001);
    expect(JSON.stringify(redacted.at(-1))).toContain('[redacted]');
  });

  it.each([
    ['letters', 'a'],
    ['words of a name', 'api-'],
    ['words of a variable', 'my_'],
    ['starts of a web token', 'ey-'],
    ['assignments', 'pwd=; '],
    ['schemes', 'a://'],
    ['spaces', 'token '],
  ])('searches a long word of %s', (_name, part) => {
    const text = part.repeat(200_000 / part.length);
    expect(redactor.json(text)).toHaveLength(text.length);
  });
});
