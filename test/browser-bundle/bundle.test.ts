import { describe, expect, it } from 'vitest';
import { bundleForBrowsers } from './_bundle.js';

describe('a browser bundle', () => {
  it.each([
    'kelivo-responses',
    'kelivo-responses/tool-loop',
    'kelivo-responses/mcp',
    'kelivo-responses/adapters',
    'kelivo-responses/tool-calls',
    'kelivo-responses/embeddings',
    'kelivo-responses/host',
    'kelivo-responses/v3',
  ])('contains %s without Node built-ins', async entry => {
    const bundle = await bundleForBrowsers(`export * from '${entry}';`);
    const code = [...bundle.values()].join('\n');
    expect(code.length).toBeGreaterThan(1000);
    expect(code).not.toMatch(/\b(?:from|import|require)\s*\(?\s*["']node:/);
  });

  it.each(['node:fs', 'child_process'])('fails if it reaches %s', async builtin => {
    const bundling = bundleForBrowsers(`export * from 'kelivo-responses'; export * from '${builtin}';`);
    await expect(bundling).rejects.toThrow(`Could not resolve "${builtin}"`);
  });
});
