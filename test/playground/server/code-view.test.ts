import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AiMajor, CodeView, Settings } from '../../../playground/shared/playground-state.js';
import { root } from '../../package/manifest.js';
import { startEmulator } from '../../testing/_emulator.js';
import { everythingOverStdio } from '../../tools/mcp/_everything-server.js';
import { openPlayground, type TestPlaygroundOptions } from './_playground.js';

const run = promisify(execFile);

/** Inside the package, so that imports of `kelivo-responses` resolve to the build. */
const folder = path.join(root, 'test-results/code-view');

beforeAll(() => void mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SECRETS = ['header-secret-1', 'env-secret-2', 'argument-secret-3', 'query-secret-4', 'key-secret-5'];

const KEY = SECRETS[4] ?? '';

const mcpServers = {
  remote: {
    url: 'http://127.0.0.1:9/mcp?token=query-secret-4',
    headers: { 'X-Auth': 'header-secret-1' },
    disabled: true,
  },
  program: {
    ...everythingOverStdio(),
    env: { EXAMPLE_KEY: 'env-secret-2' },
    trustAnnotations: true,
  },
  "quoted 'name'": {
    command: 'program',
    args: ['--api-key=argument-secret-3', 'a`b${c}\\d'],
    disabled: true,
  },
};

const responseSchema = JSON.stringify({
  type: 'object',
  properties: { 'a b': { type: 'string' } },
  required: ['a b'],
  additionalProperties: false,
});

interface Variant {
  readonly name: string;
  readonly settings: Partial<Settings>;
  readonly options?: TestPlaygroundOptions;
}

const variants: readonly Variant[] = [
  { name: 'the first start', settings: {} },
  {
    name: 'servers, parameters and approvals',
    settings: {
      endpoint: 'https://api.openai.com/v1',
      modelId: "o'brien\\model",
      systemPrompt: 'Line one\nLine "two" with `ticks` and ${code}',
      temperature: 0.2,
      maxOutputTokens: 200,
      reasoningEffort: 'xhigh',
      verbosity: 'high',
      toolChoice: 'required',
      parallelToolCalls: 'on',
      responseSchema,
      approvals: 'always',
    },
    options: { mcpServers, environment: { OPENAI_API_KEY: KEY } },
  },
  {
    name: 'the official provider, and an adapter that is off',
    settings: {
      flag: 'official',
      modelId: 'qwen3',
      disabledAdapters: ['qwen'],
      toolChoice: 'tool:get-sum',
      endpoint: `http://127.0.0.1:9/v1?token=${SECRETS[3]}`,
      approvals: 'never',
    },
    options: { mcpServers },
  },
];

/** The other majors of `ai` are installed with other names. */
const withInstalled = (code: string, major: string): string =>
  code.replace(" from 'ai';", ` from 'ai${major === '5' ? '' : major}';`);

async function openCode({ settings, options = {} }: Omit<Variant, 'name'>) {
  const playground = await openPlayground(options);
  await playground.call('/api/state', { method: 'PATCH', body: settings });
  const { json, status } = await playground.call('/api/code?conversation=conversation-1');
  expect({ status, json }).toEqual({
    status: 200,
    json: expect.not.objectContaining({ error: expect.anything() }),
  });
  return { playground, code: json as CodeView };
}

describe('the code of a turn', () => {
  it('compiles as TypeScript and contains no secret', async () => {
    const files: string[] = [];
    for (const [index, variant] of variants.entries()) {
      const { code } = await openCode(variant);
      for (const secret of SECRETS) expect(JSON.stringify(code), variant.name).not.toContain(secret);
      for (const [major, text] of Object.entries(code.typescript)) {
        const file = path.join(folder, `variant-${index}-${major}.ts`);
        writeFileSync(file, withInstalled(text, major));
        files.push(file);
        for (const name of code.environment.filter(known => known !== 'RESPONSES_URL'))
          expect(text, variant.name).toContain(`process.env.${name}`);
      }
    }
    const program = ts.createProgram(files, {
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ['node'],
      strict: true,
      skipLibCheck: true,
      noEmit: true,
    });
    const errors = files.flatMap(file => {
      const source = program.getSourceFile(file);
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ messageText }) => `${path.basename(file)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
    });

    expect(errors).toEqual([]);
  });

  it('names one variable per secret', async () => {
    const { code } = await openCode(variants[1] as Variant);

    expect(code.environment).toEqual([
      'OPENAI_API_KEY',
      'REMOTE_TOKEN',
      'REMOTE_X_AUTH',
      'EXAMPLE_KEY',
      'QUOTED_NAME_API_KEY',
    ]);
    expect(code.curl).toContain('-H "Authorization: Bearer $OPENAI_API_KEY"');
  });

  it('imports the entry of each major of ai', async () => {
    const { code } = await openCode(variants[0] as Variant);
    const entries = Object.entries(code.typescript).map(([major, text]) => [
      major,
      /createKelivoResponsesProvider } from '(.*)'/.exec(text)?.[1],
    ]);

    expect(Object.fromEntries(entries)).toEqual({
      7: 'kelivo-responses/v4',
      6: 'kelivo-responses/v3',
      5: 'kelivo-responses',
    });
  });

  it.each(['7', '6', '5'])(
    'runs with ai %s and the tools of an MCP server, and asks for approval',
    async major => {
      const { playground, code } = await openCode({
        settings: { approvals: 'always' },
        options: { mcpServers: { program: { ...everythingOverStdio(), trustAnnotations: true } } },
      });
      const question = withInstalled(code.typescript[Number(major) as AiMajor], major).replace(
        "'Hello'",
        "'Get the sum of 17 and 25.'",
      );
      const file = path.join(folder, `program-${major}.mjs`);
      const { outputText } = ts.transpileModule(question, {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      });
      writeFileSync(file, outputText);
      await playground.close();
      const child = run(process.execPath, [file], { cwd: root });
      child.child.stdin?.end('y\n');
      const { stdout } = await child;

      expect(stdout).toContain('Run get-sum with {"a":17,"b":25}? (y/n)');
      expect(stdout).toContain('The sum of 17 and 25 is 42.');
    },
  );

  it('runs as a command of curl, which sends the request of the playground', async () => {
    const emulator = await startEmulator();
    const { playground } = await openCode({
      settings: { endpoint: emulator.baseURL, systemPrompt: 'It costs $5 `now` \\', verbosity: 'low' },
      options: { environment: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: emulator.baseURL } },
    });
    const content = Buffer.from('%PDF-1.4 with $dollars');
    const file = {
      type: 'file' as const,
      mediaType: 'application/pdf',
      filename: "it's a paper.pdf",
      url: `data:application/pdf;base64,${content.toString('base64')}`,
    };
    writeFileSync(path.join(folder, file.filename), content);
    for (const files of [[], [file]]) {
      const { request, ended } = await playground.begin("What's $this?", {
        id: `conversation-${files.length}`,
        files,
      });
      await ended();
      const sent = emulator.requests.at(-1)?.body as { tools?: unknown; tool_choice?: unknown };
      const code = (await playground.call(`/api/code?conversation=${request.conversationId}`))
        .json as CodeView;
      const { stdout } = await run('bash', ['-c', code.curl], {
        cwd: folder,
        env: { PATH: process.env.PATH, OPENAI_API_KEY: KEY },
      });
      const { tools: _tools, tool_choice: _choice, ...expected } = sent;
      const received = emulator.requests.at(-1);

      expect(stdout).toContain('event: response.completed');
      expect(received?.body).toEqual(expected);
      expect(received?.headers.authorization).toBe('Bearer ***');
    }
  });
});
