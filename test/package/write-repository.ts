/**
 * Writes the addresses that follow from `repository` in package.json: `homepage`, `bugs`, the link of the issue forms, and those of
 * the playground's manifest.
 *
 *     npm run repository               writes them
 *     npm run repository -- --check    fails if one differs
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PAGES } from '../docs/_markdown.js';
import { root } from './manifest.js';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const {
  repository,
  homepage: _homepage,
  bugs: _bugs,
  ...rest
} = JSON.parse(read('package.json')) as {
  repository: { url: string };
} & Record<string, unknown>;
const [, address = '', owner = ''] =
  /^git\+(https:\/\/[^/]+\/([^/]+)\/[^/]+)\.git$/.exec(repository.url) ??
  fail(
    `Expected \`repository.url\` to have the form "git+https://<host>/<owner>/<name>.git", got "${repository.url}".`,
  );

const { name, version, description, license, ...others } = rest;
const manifest = {
  name,
  version,
  description,
  license,
  repository,
  homepage: `${address}#readme`,
  bugs: { url: `${address}/issues` },
  ...others,
};
const written: Record<string, string> = {
  'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
  'playground/package.json': `${JSON.stringify(writePlayground(), null, 2)}\n`,
  '.github/ISSUE_TEMPLATE/config.yml': `blank_issues_enabled: false
contact_links:
  - name: A vulnerability
    url: ${address}/security/advisories/new
    about: Report it privately. SECURITY.md says what counts as one.
`,
};

for (const file of PAGES) {
  const text = read(file).replace(
    /\]\(https:\/\/[^\s)]+?\/blob\/main\/([^\s)#]+)/g,
    (link, target: string) =>
      existsSync(path.join(root, decodeURI(target))) ? `](${address}/blob/main/${target}` : link,
  );
  written[file] = text;
}

const differing = Object.entries(written).filter(([file, text]) => readOr(file) !== text);
if (process.argv.includes('--check')) {
  for (const [file] of differing)
    console.error(`${file} does not follow \`repository\`. Run \`npm run repository\`.`);
  if (differing.length > 0) process.exitCode = 1;
} else {
  for (const [file, text] of differing) writeFileSync(path.join(root, file), text);
}
if (owner === 'OWNER') console.log('`repository` in package.json still names the placeholder OWNER.');

function writePlayground(): object {
  const own = JSON.parse(read('playground/package.json')) as object;
  const { bugs } = manifest;
  return {
    ...own,
    repository: { ...repository, directory: 'playground' },
    homepage: manifest.homepage,
    bugs,
  };
}

function readOr(file: string): string | undefined {
  try {
    return read(file);
  } catch {
    return undefined;
  }
}

function fail(message: string): never {
  throw new Error(message);
}
