// Part of `npm run release:version`: writes the new version into the constant `VERSION`, and into the
// manifests of the playground and of the examples.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { manifest, root } from './manifest.js';

const file = path.join(root, 'src/core/shared/version.ts');
const source = readFileSync(file, 'utf8');
const written = source.replace(/(VERSION = ')[^']*/, `$1${manifest.version}`);
if (!written.includes(`VERSION = '${manifest.version}'`))
  throw new Error(`Expected \`VERSION\` in ${file}, got none.`);
writeFileSync(file, written);

/** Changes a JSON file. */
function rewrite<Content>(name: string, change: (content: Content) => void): void {
  const file = path.join(root, 'playground', name);
  const content = JSON.parse(readFileSync(file, 'utf8')) as Content;
  change(content);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

interface Project {
  version?: string;
  dependencies?: Record<string, string>;
}

const range = `^${manifest.version}`;
rewrite<Required<Project>>('package.json', project => {
  project.version = manifest.version;
  project.dependencies[manifest.name] = range;
});

// npm cannot write this lock file without the archive.
rewrite<{ packages: Record<string, Project> }>('examples/package-lock.json', ({ packages }) => {
  for (const [folder, project] of Object.entries(packages)) {
    if (folder === `node_modules/${manifest.name}`) project.version = manifest.version;
    // The projects of the workspace, each with the range that its manifest has.
    if (/node_modules|^$/.test(folder)) continue;
    if (project.dependencies !== undefined) project.dependencies[manifest.name] = range;
    rewrite<Required<Project>>(`examples/${folder}/package.json`, ({ dependencies }) => {
      dependencies[manifest.name] = range;
    });
  }
});
