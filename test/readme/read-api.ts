import path from 'node:path';
import { Application, type ProjectReflection } from 'typedoc';
import { entries, root } from '../package/manifest.js';

/** The source of an entry: `./dist/tools/mcp/index.js` is built from `src/tools/mcp/index.ts`. */
export const toSource = (file: string): string => file.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts');

export interface Api {
  readonly project: ProjectReflection;
  /** Whether a comment has a link that leads nowhere, or another fault. They were printed. */
  readonly hasFaults: boolean;
}

/** What the entries of the package export, with its comments. */
export async function readApi(): Promise<Api> {
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
  return { project, hasFaults: application.logger.hasWarnings() || application.logger.hasErrors() };
}
