/** `kelivo-responses init`: writes the first program of the README for the installed major of `ai`. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { codeOf, CommandError, type CommandInput, printLine, readText } from './terminal.js';

/** The extension makes it a module in every folder. */
const FILE = 'hello.mjs';

const PROGRAM = `import { generateText, tool } from 'ai';
import { createKelivoResponsesProvider } from '{entry}';
import { emulatorWithoutKey } from 'kelivo-responses/testing';
import { z } from 'zod';

const inputSchema = z.object({ a: z.number(), b: z.number() });
const add = tool({ description: 'Adds two numbers', inputSchema, execute: async ({ a, b }) => a + b });

const provider = createKelivoResponsesProvider({ ...(await emulatorWithoutKey()), tools: { add } });
const { text } = await generateText({ model: provider('gpt-5'), prompt: 'Add 20 and 22.' });
console.log(text);
`;

/** The entries of the package by the major of `ai`. Later majors accept models of the newest one. */
const ENTRIES: Readonly<Record<number, string>> = { 5: 'kelivo-responses', 6: 'kelivo-responses/v3' };
const NEWEST = 'kelivo-responses/v4';

export async function runInit(_input: CommandInput): Promise<number> {
  const { version } = findPackage('ai');
  findPackage('zod');
  findPackage('kelivo-responses');
  const major = Number.parseInt(version, 10);
  if (major < 5) throw new CommandError(`Expected \`ai\` 5, 6 or 7, found ${version}. Run npm install ai.`);
  const entry = ENTRIES[major] ?? NEWEST;
  try {
    writeFileSync(FILE, PROGRAM.replace('{entry}', entry), { flag: 'wx' });
  } catch (error) {
    const isThere = codeOf(error) === 'EEXIST';
    throw new CommandError(
      isThere
        ? `${FILE} exists already. Move it, or delete it.`
        : `Could not write ${FILE}: ${codeOf(error)}.`,
    );
  }
  printLine(`Wrote ${FILE} for ai ${version}, which imports '${entry}'. Run: node ${FILE}`);
  return 0;
}

/** @throws CommandError if a package is not installed where the program will import it. */
function findPackage(name: string): { readonly version: string } {
  const require = createRequire(path.join(process.cwd(), FILE));
  let file: string;
  try {
    file = require.resolve(`${name}/package.json`);
  } catch {
    throw new CommandError(
      `Expected the package ${name} in this folder, found none. Run npm install kelivo-responses ai zod.`,
    );
  }
  return { version: String(Reflect.get(Object(JSON.parse(readText(file))), 'version')) };
}
