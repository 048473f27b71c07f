/** The documents of the package. Their snippets are compiled and run, and their links are checked. */
export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'src/README.md',
  'src/adapters/README.md',
  'src/embeddings/README.md',
  'src/host/README.md',
  'src/provider/README.md',
  'src/testing/README.md',
  'src/tool-calls/README.md',
  'src/tool-loop/README.md',
  'src/tools/mcp/README.md',
  'test/bench/README.md',
  'test/differential/README.md',
  'playground/README.md',
] as const;

/** The generated reference of all options. */
export const REFERENCE = 'src/REFERENCE.md';
