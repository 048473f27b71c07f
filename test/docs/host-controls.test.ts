import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';

/* Compares the guide's table of the host's controls with the types of the host. */

const HOSTS = { ai: 'Experimental_Agent', ai6: 'ToolLoopAgent', ai7: 'ToolLoopAgent' };

const ENTRY = new URL('../host-controls.ts', import.meta.url).pathname;

it('the guide explains each option of the functions and agents of ai 5, 6 and 7, and no other', () => {
  const guide = readFileSync(new URL('../../src/tool-loop/pages/between-rounds.md', import.meta.url), 'utf8');
  const section = /^## Controls of the host$(.*?)^## /ms.exec(guide)?.[1] ?? '';
  const cells = [...section.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) => cell);
  const explained = cells.flatMap(cell => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));

  expect(explained.toSorted()).toEqual(listOptions().toSorted());
});

/** Returns the names of all options. Those that begin with `_` are for the tests of the host. */
function listOptions(): string[] {
  const source = Object.entries(HOSTS).map(([host, agent]) => {
    const instance = `InstanceType<typeof ${host}.${agent}>`;
    return `import type * as ${host} from '${host}';
      export declare const ${host}Options: [
        Parameters<typeof ${host}.generateText>[0], Parameters<typeof ${host}.streamText>[0],
        ConstructorParameters<typeof ${host}.${agent}>[0],
        Parameters<${instance}['generate']>[0], Parameters<${instance}['stream']>[0],
      ];`;
  });
  const options = { strict: true, skipLibCheck: true, types: ['node'], target: ts.ScriptTarget.ES2022 };
  const modules = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
  const compiler = ts.createCompilerHost({});
  const program = ts.createProgram(
    [ENTRY],
    { ...options, ...modules },
    {
      ...compiler,
      fileExists: file => file === ENTRY || compiler.fileExists(file),
      getSourceFile: (file, target) =>
        file === ENTRY
          ? ts.createSourceFile(file, source.join('\n'), target)
          : compiler.getSourceFile(file, target),
    },
  );
  const checker = program.getTypeChecker();
  const propertiesOf = (type: ts.Type): string[] =>
    type.isUnion()
      ? type.types.flatMap(propertiesOf)
      : checker
          .getPropertiesOfType(type)
          .filter(property => (checker.getTypeOfSymbol(property).flags & ts.TypeFlags.Never) === 0)
          .map(({ name }) => name);
  const names = (program.getSourceFile(ENTRY)?.statements ?? []).flatMap(statement =>
    ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.flatMap(declaration =>
          checker
            .getTypeArguments(checker.getTypeAtLocation(declaration) as ts.TypeReference)
            .map(propertiesOf),
        )
      : [],
  );
  // Types that cannot be read have no properties, and those of five lists for each host are expected.
  expect(names.map(({ length }) => length > 5)).toEqual(names.map(() => true));
  expect(names).toHaveLength(5 * Object.keys(HOSTS).length);
  return [...new Set(names.flat())].filter(name => !name.startsWith('_'));
}
