import type { McpServers } from 'kelivo-responses/mcp';
import type { AiMajor, Settings } from '../../shared/playground-state.js';
import { VARIABLE_MARK } from '../mcp/secrets.js';
import { toToolChoice } from '../turn/parameters.js';
import { openResponseSchema } from '../turn/response-schema.js';
import type { CodeQuestion } from './question.js';

export interface TypeScriptOptions {
  readonly major: AiMajor;
  readonly settings: Settings;
  readonly question: CodeQuestion;
  readonly hasKey: boolean;
  /** True if the base URL has a query, which may contain a key. */
  readonly hasQuery: boolean;
  /** Names of the adapters, if they are not the default ones. */
  readonly adapters: readonly string[] | undefined;
  /** Secrets are marks of variables. */
  readonly mcpServers: McpServers;
}

/** The names that differ between the majors of `ai`. */
const majors: Readonly<
  Record<AiMajor, { entry: string; version?: string; instructions: string; output: string }>
> = {
  7: { entry: 'kelivo-responses/v4', version: 'v4', instructions: 'instructions', output: 'output' },
  6: { entry: 'kelivo-responses/v3', version: 'v3', instructions: 'system', output: 'output' },
  5: { entry: 'kelivo-responses', instructions: 'system', output: 'experimental_output' },
};

/** Writes a turn as a program for a major of `ai`. */
export function toTypeScript(options: TypeScriptOptions): string {
  const { settings, question, major } = options;
  const { entry, version } = majors[major];
  const isEmulated = settings.endpoint === 'emulator';
  const isOfficial = settings.flag === 'official';
  const hasTools = Object.keys(options.mcpServers).length > 0;
  const asks = hasTools && settings.approvals !== 'never';
  const format = openResponseSchema(settings.responseSchema);
  const provider = isOfficial
    ? `createSwitchableProvider({
  kelivo: ${indent(toProviderSettings(options, { asks, hasTools }))},
  fallback: 'with-tool-loop',
  enabled: false, // The official provider: @ai-sdk/openai${
    version === undefined
      ? ''
      : `
  specificationVersion: '${version}',`
  }
})`
    : `createKelivoResponsesProvider(${toProviderSettings(options, { asks, hasTools })})`;
  const values = Object.entries(toCallLines(options, { hasTools })).map(
    ([name, code]) => `  ${name}: ${code},`,
  );
  return [
    question.files.length > 0 && "import { readFile } from 'node:fs/promises';",
    asks && "import { createInterface } from 'node:readline/promises';",
    `import { ${format === undefined ? '' : 'jsonSchema, Output, '}streamText } from 'ai';`,
    isOfficial
      ? "import { createSwitchableProvider } from 'kelivo-responses/host';"
      : `import { createKelivoResponsesProvider } from '${entry}';`,
    isEmulated && "import { startResponsesEmulator } from 'kelivo-responses/testing';",
    '',
    isEmulated && 'const emulator = await startResponsesEmulator();',
    `const provider = ${provider};`,
    '',
    'const result = streamText({',
    ...values,
    '});',
    'for await (const text of result.textStream) process.stdout.write(text);',
    '',
    'await provider.close();',
    isEmulated && 'await emulator.close();',
    '',
  ]
    .filter(line => line !== false)
    .join('\n');
}

interface Features {
  readonly hasTools: boolean;
}

function toProviderSettings(
  { settings: { endpoint, approvals }, hasKey, hasQuery, adapters, mcpServers }: TypeScriptOptions,
  { asks, hasTools }: Features & { readonly asks: boolean },
): string {
  const address =
    endpoint === 'emulator'
      ? 'emulator.baseURL'
      : hasQuery
        ? 'process.env.OPENAI_BASE_URL'
        : toLiteral(endpoint);
  const lines = [
    `baseURL: ${address},`,
    hasKey ? 'apiKey: process.env.OPENAI_API_KEY,' : "apiKey: () => '', // The endpoint needs no key.",
    adapters !== undefined && `adapters: ${adapters.length === 0 ? 'false' : toLiteral(adapters)},`,
    hasTools && `mcpServers: ${indent(toLiteral(mcpServers))},`,
    asks &&
      `toolLoop: {
    approvals: ${toLiteral(approvals)},
    approve: async ({ toolName, input }) => {
      const terminal = createInterface({ input: process.stdin, output: process.stdout });
      const answer = await terminal.question(\`Run \${toolName} with \${JSON.stringify(input)}? (y/n) \`);
      terminal.close();
      return answer === 'y' ? true : { approved: false, reason: 'The user rejected this call.' };
    },
  },`,
  ];
  return `{\n${lines.flatMap(line => (line === false ? [] : `  ${line}`)).join('\n')}\n}`;
}

function toCallLines(
  { settings, major, question: { text, files } }: TypeScriptOptions,
  { hasTools }: Features,
): Readonly<Record<string, string>> {
  const { toolChoice, responseSchema } = settings;
  const format = openResponseSchema(responseSchema);
  const openai = {
    store: false,
    reasoningSummary: 'auto',
    ...(settings.reasoningEffort !== 'default' && { reasoningEffort: settings.reasoningEffort }),
    ...(settings.verbosity !== 'default' && { textVerbosity: settings.verbosity }),
    ...(settings.parallelToolCalls !== 'default' && {
      parallelToolCalls: settings.parallelToolCalls === 'on',
    }),
  };
  const content = [
    ...files.map(
      ({ filename, mediaType }) =>
        `{ type: 'file', data: await readFile(${toLiteral(filename)}), filename: ${toLiteral(filename)}, mediaType: ${toLiteral(mediaType)} },`,
    ),
    ...(text === '' ? [] : [`{ type: 'text', text: ${toLiteral(text)} },`]),
  ];
  const prompt: Readonly<Record<string, string>> =
    files.length === 0
      ? { prompt: toLiteral(text) }
      : { messages: `[{ role: 'user', content: [\n    ${content.join('\n    ')}\n  ] }]` };
  return {
    model: `provider(${toLiteral(settings.modelId)})`,
    ...(settings.systemPrompt !== '' && {
      [majors[major].instructions]: toLiteral(settings.systemPrompt),
    }),
    ...prompt,
    ...(hasTools && { tools: 'await provider.tools()' }),
    ...(settings.temperature !== null && { temperature: String(settings.temperature) }),
    ...(settings.maxOutputTokens !== null && { maxOutputTokens: String(settings.maxOutputTokens) }),
    ...(toolChoice !== 'default' && { toolChoice: toLiteral(toToolChoice(toolChoice)) }),
    ...(format !== undefined && {
      [majors[major].output]: `Output.object({ schema: jsonSchema(${indent(toLiteral(format.schema))}) })`,
    }),
    providerOptions: indent(toLiteral({ openai })),
  };
}

const indent = (code: string): string => code.replaceAll('\n', '\n  ');

/** Writes JSON as TypeScript. Marks of variables become `process.env`. */
function toLiteral(value: unknown): string {
  if (typeof value === 'string') return toStringLiteral(value);
  if (Array.isArray(value)) return `[${value.map(toLiteral).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  if (entries.length === 0) return '{}';
  const lines = entries.map(([name, inner]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : toLiteral(name);
    return `  ${key}: ${indent(toLiteral(inner))},`;
  });
  return `{\n${lines.join('\n')}\n}`;
}

function toStringLiteral(text: string): string {
  const [, only] = new RegExp(`^${VARIABLE_MARK.source}$`).exec(text) ?? [];
  if (only !== undefined) return `process.env.${only} ?? ''`;
  if (text.search(VARIABLE_MARK) >= 0) {
    const template = text.replace(/[\\`]|\$(?=\{)/g, '\\$&');
    return `\`${template.replace(VARIABLE_MARK, (_, name: string) => `\${process.env.${name}}`)}\``;
  }
  if (text.includes("'") && !text.includes('"')) return JSON.stringify(text);
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
