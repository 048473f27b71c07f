// Lets the conformance suite start in Node 20. The suite imports `globSync` of `node:fs`, which exists since Node 22 and
// which the client scenarios never call. Registers itself when loaded with `--import`.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

const shim = `data:text/javascript,${encodeURIComponent(`
  export * from 'node:fs';
  export { default } from 'node:fs';
  export function globSync() { throw new Error('The stub of globSync in the conformance loader was called.'); }
`)}`;

export function resolve(specifier, context, nextResolve) {
  const isSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/dist/');
  return isSuite && /^(node:)?fs$/.test(specifier)
    ? { url: shim, shortCircuit: true }
    : nextResolve(specifier, context);
}
