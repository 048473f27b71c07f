import { describe, expect, it } from 'vitest';
import { toTrace } from '../../../playground/shared/trace.js';
import { compareTraces } from '../../../playground/web/compare/trace-comparison.js';
import { diffJson } from '../../../playground/web/compare/json-difference.js';

describe('a comparison', () => {
  it('marks differences except times', () => {
    const first = toTrace([
      { type: 'first-token', at: 10 },
      { type: 'turn-end', at: 100, end: 'finished', usage: { inputTokens: 5, outputTokens: 2 } },
    ]);
    const second = toTrace([
      { type: 'first-token', at: 20 },
      { type: 'turn-end', at: 200, end: 'failed', usage: { inputTokens: 5, outputTokens: 2 } },
    ]);
    const different = compareTraces(first, second).filter(({ isDifferent }) => isDifferent);

    expect(different).toEqual([{ title: 'Ended', values: ['finished', 'failed'], isDifferent: true }]);
  });

  it('lists the differences between two requests', () => {
    const differences = diffJson(
      { model: 'm', tools: [{ name: 'a', strict: false }], store: false },
      { model: 'm', tools: [{ name: 'a' }, { name: 'b' }], store: true },
    );

    expect(differences).toEqual([
      { path: 'tools[0].strict', first: false, second: undefined },
      { path: 'tools[1]', first: undefined, second: { name: 'b' } },
      { path: 'store', first: false, second: true },
    ]);
  });
});
