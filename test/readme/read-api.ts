import path from 'node:path';
import { Application, type ProjectReflection } from 'typedoc';
import { entries, root } from '../package/manifest.js';

/** The source of an entry: `./dist/tools/mcp/index.js` is built from `src/tools/mcp/index.ts`. */
export const toSource = (file: string): string => file.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts');

/** What the entries of the package export, with its comments. A broken link in a comment ends the program. */
export async function readApi(): Promise<ProjectReflection> {
  const application = await Application.bootstrap({
    entryPoints: entries.map(({ file }) => path.join(root, toSource(file))),
    tsconfig: path.join(root, 'src/tsconfig.json'),
    excludeInternal: true,
    excludeExternals: true,
    sort: ['source-order'],
    basePath: root,
    displayBasePath: root,
    disableGit: true,
    sourceLinkTemplate: '{path}',
    // The compiler has its own check.
    skipErrorChecking: true,
    validation: { notExported: false, invalidLink: true, notDocumented: false },
    logLevel: 'Warn',
  });
  const project = await application.convert();
  if (project === undefined) throw new Error('Expected TypeDoc to read the sources, got nothing. See above.');
  application.validate(project);
  if (application.logger.hasWarnings() || application.logger.hasErrors())
    throw new Error('Expected comments without a fault, got those above.');
  return project;
}
