/**
 * Writes the addresses that follow from `repository` in package.json: `homepage`, `bugs`, the link of the issue forms, and those of
 * the playground's manifest. Without `repository`, nothing names an address.
 *
 *     npm run repository               writes them
 *     npm run repository -- --check    fails if one differs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './manifest.js';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

interface Manifest {
  readonly repository?: { readonly url: string };
}

const own = JSON.parse(read('package.json')) as Manifest;
const address = toAddress(own.repository?.url);

const forms = `blank_issues_enabled: false
${
  address === undefined
    ? ''
    : `contact_links:
  - name: A vulnerability
    url: ${address}/security/advisories/new
    about: Report it privately. SECURITY.md says what counts as one.
`
}`;
const written: Record<string, string> = {
  'package.json': withAddress(own, own.repository),
  'playground/package.json': withAddress(
    JSON.parse(read('playground/package.json')) as object,
    own.repository && { ...own.repository, directory: 'playground' },
  ),
  '.github/ISSUE_TEMPLATE/config.yml': forms,
};

const differing = Object.entries(written).filter(([file, text]) => read(file) !== text);
if (process.argv.includes('--check')) {
  for (const [file] of differing)
    console.error(`${file} does not follow \`repository\`. Run \`npm run repository\`.`);
  if (differing.length > 0) process.exitCode = 1;
} else {
  for (const [file, text] of differing) writeFileSync(path.join(root, file), text);
}
if (address === undefined) console.log('package.json names no `repository` yet.');

/** Writes a manifest with the addresses after its licence. */
function withAddress(given: object, repository: object | undefined): string {
  const {
    repository: _repository,
    homepage: _homepage,
    bugs: _bugs,
    ...rest
  } = given as Record<string, unknown>;
  const { name, version, description, license, ...others } = rest;
  const addresses = address !== undefined && {
    repository,
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
  };
  return `${JSON.stringify({ name, version, description, license, ...addresses, ...others }, null, 2)}\n`;
}

function toAddress(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const [, found] = /^git\+(https:\/\/[^/]+\/[^/]+\/[^/]+)\.git$/.exec(url) ?? [];
  if (found !== undefined) return found;
  throw new Error(
    `Expected \`repository.url\` to have the form "git+https://<host>/<owner>/<name>.git", got "${url}".`,
  );
}
