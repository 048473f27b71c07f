/**
 * The documentation site.
 *
 *     npm run docs:build    builds it into `.docs/dist` without a network, and checks it
 *     npm run docs:dev      serves it, and follows changes of the documents
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { manifest, root } from '../test/package/manifest.js';
import { checkSite } from './check-site.js';
import { sources, type WrittenGroup, writePages } from './write-pages.js';

const docs = path.join(root, '.docs');
const site = path.join(docs, 'dist');
const vitepress = path.join(docs, 'node_modules/vitepress/bin/vitepress.js');

const groups = writePages();
if (process.argv.includes('--dev')) serve();
else build();

function serve(): void {
  for (const source of sources) {
    watch(path.join(root, source), () => {
      try {
        writePages();
      } catch (error) {
        console.error(error instanceof Error ? error.message : error);
      }
    });
  }
  spawn(process.execPath, [vitepress, 'dev', docs], { stdio: 'inherit' }).on('exit', code =>
    process.exit(code ?? 1),
  );
}

function build(): void {
  const closed = 'http://127.0.0.1:9';
  const offline = Object.fromEntries(
    ['npm_config_registry', 'http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map(name => [
      name,
      closed,
    ]),
  );
  const { status } = spawnSync(process.execPath, [vitepress, 'build', docs], {
    stdio: 'inherit',
    env: { ...process.env, ...offline },
  });
  if (status !== 0) process.exit(1);

  writeTexts(groups);
  const { problems, summary } = checkSite(site);
  for (const line of summary) console.log(line);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

/** Writes the Markdown of each page beside it, `llms.txt` with a link to each, and `llms-full.txt` with all but the reference. */
function writeTexts(written: readonly WrittenGroup[]): void {
  for (const { path: page, markdown } of written.flatMap(({ pages }) => pages)) {
    const file = path.join(site, `${page}.md`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, withoutAnchors(markdown));
  }
  const head = `# ${manifest.name}\n\n> ${manifest.description}\n`;
  const lists = written.map(({ title, pages }) => {
    const lines = pages.map(page => `- [${page.title}](${page.path}.md): ${page.summary}`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  writeFileSync(path.join(site, 'llms.txt'), [head, ...lists].join('\n'));
  const texts = written
    .filter(({ title }) => title !== 'Reference')
    .flatMap(({ pages }) =>
      pages.map(({ path: page, markdown }) => `<!-- ${page}.md -->\n\n${withoutAnchors(markdown)}`),
    );
  writeFileSync(path.join(site, 'llms-full.txt'), [head, ...texts].join('\n'));
}

/** Removes the anchors of headings, which only the site generator reads. */
function withoutAnchors(markdown: string): string {
  return markdown.replace(/^(#+ .+) \{#[^}]+\}$/gm, '$1');
}
