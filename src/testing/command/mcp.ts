import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { createKelivoResponsesProvider, redactSecrets } from 'kelivo-responses';
import {
  createMcpTools,
  createOAuthProvider,
  type McpServerConfig,
  parseMcpConfig,
} from 'kelivo-responses/mcp';
import { startResponsesEmulator } from 'kelivo-responses/testing';
import { messageOf } from '../../core/shared/errors.js';
import { isPlainObject, objectOf, objectsOf, type PlainObject, stringOf } from '../../core/shared/json.js';
import { readMcpConfig } from '../../tools/mcp/config/config.js';
import { CommandError, type CommandInput, printLine, readText, toLine } from './terminal.js';

interface ToolReport {
  readonly name: string;
  /** `repaired`: the API rejects the schema of the server, and the provider sends another one. */
  readonly state: 'ok' | 'repaired' | 'left out';
  /** The error of the API for the schema of the server, or the reason why the tool is left out. */
  readonly problem?: string;
  /** Differences between the schema of the server and the one that is sent: `+`, `-` and `~` with a JSON pointer. */
  readonly changes?: readonly string[];
  /** Constraints that are lost. */
  readonly warnings?: readonly string[];
  readonly inputSchema?: unknown;
  readonly sentSchema?: unknown;
}

interface ServerReport {
  readonly name: string;
  readonly state: 'ready' | 'disabled' | 'failed' | 'needs sign-in';
  readonly error?: string;
  readonly tools: readonly ToolReport[];
}

/** Starts the servers of a configuration file and reports their tools. Returns 1 if a server fails or a schema is invalid. */
export async function runMcp(input: CommandInput): Promise<number> {
  const [file = ''] = input.names;
  const timeout = (input.numberOf('timeout', { minimum: 1, maximum: 3600 }) ?? 60) * 1000;
  const servers = readServers(file);
  const variables = readVariables(input.list('env'));
  const check = await startCheck();
  try {
    const reports = await Promise.all(
      Object.entries(servers).map(([name, config]) =>
        inspectServer(name, config, timeout, variables, check.tool, input.has('sign-in')),
      ),
    );
    if (input.has('json')) process.stdout.write(`${JSON.stringify({ servers: reports }, undefined, 2)}\n`);
    else reports.forEach(printReport);
    const isGood = (report: ServerReport): boolean =>
      (report.state === 'ready' || report.state === 'disabled') &&
      report.tools.every(tool => tool.state === 'ok');
    return reports.every(isGood) ? 0 : 1;
  } finally {
    await check.close();
  }
}

function readServers(file: string): PlainObject {
  const text = readText(file);
  try {
    const servers = readMcpConfig(text);
    if (isPlainObject(servers)) return servers;
  } catch (error) {
    throw new CommandError(`${file}: ${messageOf(error)}`);
  }
  throw new CommandError(`${file}: Expected an object \`mcpServers\` or \`servers\`.`);
}

/** Returns the values of `${NAME}`, `${env:NAME}` and the variables of VS Code and Cursor that are known here. */
function readVariables(names: readonly string[]): Record<string, string> {
  const variables: Record<string, string> = { workspaceFolder: process.cwd(), userHome: homedir() };
  for (const name of names) {
    const value = process.env[name];
    if (value === undefined)
      throw new CommandError(`Expected the environment variable ${name} of --env, got none.`);
    variables[name] = value;
    variables[`env:${name}`] = value;
  }
  return variables;
}

async function inspectServer(
  name: string,
  given: unknown,
  timeout: number,
  variables: Readonly<Record<string, string>>,
  check: ToolCheck,
  signsIn: boolean,
): Promise<ServerReport> {
  const secrets = new Set(listSecrets(given).concat(Object.values(variables)));
  const redact = (text: string): string => redactSecrets(text, { secrets: [...secrets] });
  const fail = (error: unknown, state: ServerReport['state'] = 'failed'): ServerReport => ({
    name,
    state,
    error: redact(messageOf(error)),
    tools: [],
  });
  let config: McpServerConfig | undefined;
  try {
    config = parseMcpConfig({ mcpServers: { [name]: given } }, { expandVariables: variables })[name];
  } catch (error) {
    const isVariable = /\$\{(?:env:)?(\w+)\}/.exec(messageOf(error));
    return fail(isVariable ? `${messageOf(error)} Pass --env ${isVariable[1]}.` : error);
  }
  if (config === undefined || config.disabled === true) return { name, state: 'disabled', tools: [] };
  for (const secret of listSecrets(config)) secrets.add(secret);

  const signIn = signsIn && 'url' in config ? await startSignIn(name, config.url) : undefined;
  const original = new Map<string, unknown>();
  const mcpTools = createMcpTools(
    { [name]: signIn === undefined ? config : { ...config, authProvider: signIn.authProvider } },
    {
      startupTimeout: timeout,
      onMessage: mcpMessage => {
        const tools = objectsOf(objectOf(mcpMessage.message.result)?.tools);
        for (const tool of tools) original.set(stringOf(tool.name), tool.inputSchema);
      },
    },
  );
  try {
    let listing = await mcpTools.listTools();
    if (signIn !== undefined && mcpTools.status()[0]?.state === 'unauthorized') {
      await mcpTools.finishAuth(name, await signIn.callback());
      listing = await mcpTools.listTools();
    }
    const [status] = mcpTools.status();
    if (status?.state === 'unauthorized' || status?.error?.code === 'mcp-unauthorized')
      return fail(
        `${messageOf(status.error)}${signsIn ? '' : ' --sign-in waits for a sign-in.'}`,
        'needs sign-in',
      );
    if (status?.error !== undefined) return fail(status.error);
    if (status?.state !== 'ready')
      return fail(listing.warnings[0] ?? `The server is ${String(status?.state)}.`);
    const tools: ToolReport[] = [];
    for (const [toolName, inputSchema] of original) {
      const tool = listing.tools.find(one => (one.originalName ?? one.name) === toolName);
      const reason = listing.warnings.find(warning => warning.includes(JSON.stringify(toolName)));
      const omitted = reason ?? 'The configuration or the server excludes it.';
      tools.push({
        name: toolName,
        ...(tool === undefined
          ? { state: 'left out', problem: redact(omitted), inputSchema }
          : await check(inputSchema, { ...tool, type: 'function', inputSchema: tool.inputSchema })),
      });
    }
    return { name, state: 'ready', tools };
  } catch (error) {
    return fail(error);
  } finally {
    signIn?.close();
    await mcpTools.close();
  }
}

/** Returns the values of a server that may be secret: of its environment, its headers and its query. */
function listSecrets(config: unknown): string[] {
  const { env, headers, url } = objectOf(config) ?? {};
  const query = URL.canParse(stringOf(url)) ? [...new URL(stringOf(url)).searchParams.values()] : [];
  return [...Object.values(objectOf(env) ?? {}), ...Object.values(objectOf(headers) ?? {})]
    .map(stringOf)
    .flatMap(value => [value, value.replace(/^\w+ /, '')])
    .concat(query)
    .filter(value => value !== '');
}

/** Receives the user after a sign-in, on a free port. */
async function startSignIn(name: string, serverUrl: string) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const authProvider = createOAuthProvider({
    serverUrl,
    redirectUrl,
    onSignIn: url => void process.stderr.write(`${toLine(`Sign in to "${name}": ${url.href}`)}\n`),
  });
  const arrived = new Promise<string>(resolve =>
    server.on('request', ({ url = '' }, response) => {
      const isCallback = url.startsWith('/callback?');
      response.writeHead(isCallback ? 200 : 404).end(isCallback ? 'You can close this page.' : '');
      if (isCallback) resolve(url);
    }),
  );
  return {
    authProvider,
    /** Waits at most five minutes for the user. */
    callback: () =>
      Promise.race([
        arrived,
        delay(300_000, undefined, { ref: false }).then(() => {
          throw new Error('The sign-in was not completed.');
        }),
      ]),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type ToolCheck = (
  inputSchema: unknown,
  tool: { type: 'function'; name: string; description?: string; inputSchema: object },
) => Promise<Omit<ToolReport, 'name'>>;

/** Sends tools to an emulator of the API: as the server wrote their schemas, and as the provider sends them. */
async function startCheck(): Promise<{ tool: ToolCheck; close: () => Promise<void> }> {
  const emulator = await startResponsesEmulator({ webSocket: false });
  const provider = createKelivoResponsesProvider({ baseURL: emulator.baseURL, apiKey: 'emulator' });
  const model = provider.responses('gpt-4.1');

  async function findProblem(schema: unknown): Promise<string | undefined> {
    // MCP servers describe tools without arguments without `properties`, which is valid in MCP.
    const isEmpty = isPlainObject(schema) && schema.type === 'object' && schema.properties === undefined;
    const parameters = isEmpty ? { ...schema, properties: {} } : (schema ?? false);
    const tools = [{ type: 'function', name: 'tool', parameters }];
    const response = await fetch(`${emulator.baseURL}/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4.1', input: 'Hi', tools, tool_choice: 'none' }),
    });
    if (response.ok) return undefined;
    const message = stringOf(objectOf(objectOf(await response.json())?.error)?.message);
    return message.replace("Invalid schema for function 'tool': ", '');
  }

  return {
    async tool(inputSchema, tool) {
      const problem = await findProblem(inputSchema);
      const { request, warnings } = await model.doGenerate({
        prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
        tools: [tool],
        toolChoice: { type: 'none' },
      });
      const texts = warnings.map(warning => ('message' in warning ? warning.message : warning.type));
      const body = typeof request?.body === 'string' ? JSON.parse(request.body) : request?.body;
      const [sent] = objectsOf(objectOf(body)?.tools);
      if (sent === undefined)
        return { state: 'left out', problem: texts[0] ?? problem ?? 'The API rejects it.', inputSchema };
      const changes = [...listChanges(inputSchema, sent.parameters)];
      const details = {
        ...(changes.length > 0 && { changes }),
        ...(texts.length > 0 && { warnings: texts }),
        inputSchema,
        sentSchema: sent.parameters,
      };
      return problem === undefined ? { state: 'ok', ...details } : { state: 'repaired', problem, ...details };
    },
    async close() {
      await provider.close();
      await emulator.close();
    },
  };
}

/** Lists the differences of two schemas by their positions. */
function* listChanges(before: unknown, after: unknown, path = ''): Generator<string> {
  if (isPlainObject(before) && isPlainObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const inner = `${path}/${key}`;
      if (inner === '/$schema') continue;
      if (!Object.hasOwn(after, key)) yield `- ${inner}`;
      else if (!Object.hasOwn(before, key)) yield `+ ${inner}`;
      else yield* listChanges(before[key], after[key], inner);
    }
  } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [index, item] of before.entries()) yield* listChanges(item, after[index], `${path}/${index}`);
  } else if (JSON.stringify(before) !== JSON.stringify(after)) yield `~ ${path || '/'}`;
}

function printReport(report: ServerReport): void {
  const count =
    report.state === 'ready' ? `, ${report.tools.length} tool${report.tools.length === 1 ? '' : 's'}` : '';
  printLine(
    `${report.name}: ${report.state}${count}${report.error === undefined ? '' : `: ${report.error}`}`,
  );
  const width = Math.max(0, ...report.tools.map(tool => tool.name.length));
  for (const tool of report.tools) {
    const shown = (tool.changes ?? []).slice(0, 3).join(', ');
    const details = [tool.problem ?? '', tool.state === 'repaired' ? shown : ''].filter(Boolean).join('  ');
    printLine(`  ${tool.name.padEnd(Math.min(width, 40))}  ${tool.state}${details && `: ${details}`}`);
    for (const warning of tool.warnings ?? []) printLine(`    ${warning}`);
  }
}
