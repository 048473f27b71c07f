// The client that the conformance suite starts, with the URL of its server as the last argument. It uses everything that
// the server offers, as a host does, and exits with 0 if all of it succeeds.
import { createMcpTools, type McpTools, type McpConnectionPoolOptions } from 'kelivo-responses/mcp';
import type { ToolDefinition } from 'kelivo-responses/tool-loop';
import { createSignIn } from './sign-in.js';

/** Time limit of the client, in milliseconds. The suite's own limit only ends the shell. */
const timeLimit = 240_000;

/** Times that the user signs in for one operation: at first, and for more permissions. */
const maxSignIns = 2;

/** A tool call that the scenario requires, or that follows from the list of tools. */
interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

setTimeout(() => process.exit(2), timeLimit).unref();

const url = process.argv.at(-1) ?? '';
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context } = process.env;
const { toolCalls }: { toolCalls?: readonly Call[] } = JSON.parse(context ?? '{}');
const signIn = createSignIn(scenario, { url, context });
// The scenario of that name tests that the client fills in defaults.
const content: Record<string, boolean> = scenario.startsWith('elicitation') ? {} : { confirmed: true };
// The other scenarios test the client without callbacks.
const callbacks: McpConnectionPoolOptions = /elicitation|sep-2322|request-metadata/.test(scenario)
  ? {
      onElicitation: () => ({ action: 'accept', content }),
      onSampling: () => Promise.reject(new Error('unused')),
    }
  : {};
const tools: McpTools = createMcpTools(
  { suite: { url, authProvider: signIn.provider } },
  { startupTimeout: timeLimit, ...callbacks },
);
const failures: string[] = [];

const { tools: offered, warnings } = await signedIn(() => tools.listTools());
failures.push(...warnings);
// The server of this scenario only lists its tools.
const calls = scenario === 'json-schema-ref-no-deref' ? [] : (toolCalls ?? offered.map(toCall));
for (const call of calls) await run(call);
if (scenario === 'http-standard-headers') await readEverything();
await tools.close();

for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Repeats an operation after a sign-in, as a host does when the user returns from the browser. */
async function signedIn<T>(operation: () => Promise<T>): Promise<T> {
  let result = await operation();
  for (let round = 0; round < maxSignIns; round++) {
    const redirect = signIn.takeRedirect();
    if (redirect === undefined) break;
    await tools.finishAuth('suite', redirect);
    result = await operation();
  }
  return result;
}

async function run({ name, arguments: input }: Call): Promise<void> {
  const output = await signedIn(() =>
    tools.callTool(
      { toolCallId: 'call_1', toolName: name, input },
      { signal: AbortSignal.timeout(timeLimit) },
    ),
  );
  console.log(name, JSON.stringify(output));
  // The tool returns an invalid result. The scenario tests that the call is not sent again.
  const mayFail = name === 'test_mrtr_no_result_type';
  if (output.type === 'error-text' && !mayFail) failures.push(output.value);
}

/** Reads each resource and each prompt. */
async function readEverything(): Promise<void> {
  for (const { uri } of await tools.listResources('suite')) await tools.readResource('suite', { uri });
  for (const { name, arguments: parameters = [] } of await tools.listPrompts('suite')) {
    const values = Object.fromEntries(parameters.map(parameter => [parameter.name, 'x']));
    await tools.getPrompt('suite', { name, arguments: values });
  }
}

/** Returns a call with one argument for each property. */
function toCall({ name, inputSchema }: ToolDefinition): Call {
  if (name === 'json_schema_echo') {
    const focal = offered.find(tool => tool.name === 'json_schema_2020_12_tool');
    return { name, arguments: { schema: focal?.inputSchema } };
  }
  return { name, arguments: Object(toValue(inputSchema, inputSchema)) };
}

type Schema = ToolDefinition['inputSchema'];
type SchemaOrBoolean = NonNullable<Schema['properties']>[string];

/** Returns a value for a schema: 5 for numbers, the first value of an enumeration, and "x" for strings. */
function toValue(schema: SchemaOrBoolean, root: Schema): unknown {
  if (typeof schema === 'boolean') return 'x';
  const { $ref: reference, enum: values, const: constant, type, properties = {}, anyOf, oneOf } = schema;
  const branch = (anyOf ?? oneOf)?.[0];
  if (reference?.startsWith('#/')) return toValue(resolve(reference, root), root);
  if (constant !== undefined) return constant;
  if (values !== undefined) return values[0];
  if (branch !== undefined && type !== 'object') return toValue(branch, root);
  const byType: Record<string, () => unknown> = {
    number: () => 5,
    integer: () => 5,
    boolean: () => true,
    array: () => [],
    object: () =>
      Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, toValue(property, root)]),
      ),
  };
  return (byType[String(type)] ?? (() => 'x'))();
}

function resolve(reference: string, root: Schema): SchemaOrBoolean {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => Object(value)[key], root) as SchemaOrBoolean;
}
