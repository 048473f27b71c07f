import { describe, expect, it } from 'vitest';
import { bundleForBrowsers } from './_bundle.js';

describe('a bundle for browsers', () => {
  it.each([
    'kelivo-responses',
    'kelivo-responses/tool-loop',
    'kelivo-responses/mcp',
    'kelivo-responses/adapters',
    'kelivo-responses/tool-calls',
    'kelivo-responses/embeddings',
    'kelivo-responses/host',
    'kelivo-responses/v3',
  ])('has all of %s and nothing of Node', async entry => {
    const bundle = await bundleForBrowsers(`export * from '${entry}';`);
    const code = [...bundle.values()].join('\n');
    expect(code.length).toBeGreaterThan(1000);
    expect(code).not.toMatch(/\b(?:from|import|require)\s*\(?\s*["']node:/);
  });

  it.each(['node:fs', 'child_process'])('is refused where %s is reached', async builtin => {
    const bundling = bundleForBrowsers(`export * from 'kelivo-responses'; export * from '${builtin}';`);
    await expect(bundling).rejects.toThrow(`Could not resolve "${builtin}"`);
  });
});
