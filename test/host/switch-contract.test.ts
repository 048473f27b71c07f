import { describe, expect, it } from 'vitest';
import { contractHosts, type ContractCase, offered, requestCases, runContractCase } from './_contract.js';
import { combine } from '../_products.js';

const cases: readonly ContractCase[] = combine({
  host: contractHosts,
  offers: offered,
  isStream: [true, false],
  request: Object.keys(requestCases),
  fallback: ['plain', 'with-tool-loop'],
});

describe('a turn is the same on and off', () => {
  it.each(
    cases.map(
      one =>
        [
          `ai ${one.host.ai}, ${one.offers}, ${one.isStream ? 'stream' : 'generate'}, ${one.request}, ${one.fallback}`,
          one,
        ] as const,
    ),
  )('%s', async (_, one) => expectSameTurn(one));
});

async function expectSameTurn(one: ContractCase): Promise<void> {
  const on = await runContractCase(one, { isOn: true });
  const off = await runContractCase(one, { isOn: false });
  // Without a loop, undeclared tools cannot run. The warning names them.
  const isLost = one.fallback === 'plain' && one.offers === 'undeclared';
  const isHostOnly = one.fallback === 'plain' && one.offers === 'host only';
  if (isLost || isHostOnly) {
    const [warning = ''] = off.warnings.filter(text => text.includes('not available'));
    for (const name of ['local_sum', 'mcp_sum']) expect(warning).toContain(name);
    expect(off.offered.flat()).not.toContain('local_sum');
  } else {
    // `@ai-sdk/openai` 2 has no restriction, so the other tools are not offered at all.
    if (one.request !== 'allowed tools' || one.host.official > 2) expect(off.offered).toEqual(on.offered);
    expect(off.allowed).toEqual(on.allowed);
    expect(off.runs).toEqual(on.runs);
    expect(off.text).toBe(on.text);
    expect(off.history).toEqual(on.history);
    expect(new Set(off.runs).size).toBe(off.runs.length);
  }
  expect(off.fields).toEqual(on.fields);
  expect(off.systemRole).toBe(on.systemRole);
}
