import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished } from 'vitest';

interface Contract {
  check(kind: string, value: unknown): { readonly at: string; readonly message: string }[];
  has(kind: string): boolean;
}

interface ContractModule {
  createContract(name: 'openai' | 'open-responses'): Contract;
}

/** The validator of the published documents, if it is at hand: a script whose path is in an environment variable. */
const file = process.env.RESPONSES_CONTRACT ?? '';
const module = existsSync(file)
  ? ((await import(pathToFileURL(path.resolve(file)).href)) as ContractModule)
  : undefined;

const documents =
  module && (['openai', 'open-responses'] as const).map(name => ({ name, ...module.createContract(name) }));

/** Returns the errors of a value by both documents. Undefined if the documents are not at hand. */
export const contract =
  documents &&
  ((kind: string, value: unknown): string[] =>
    documents.flatMap(({ name, check, has }) =>
      has(kind) ? check(kind, value).map(({ at, message }) => `${name}: ${at} ${message}`) : [],
    ));

interface SentRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, or the frame that a WebSocket received. */
  readonly body: unknown;
}

interface ClosedServer {
  readonly requests: readonly SentRequest[];
  readonly close: () => unknown;
}

/** The header of requests that a test writes itself, and not a provider of this package. */
export const RAW_REQUEST = { 'x-raw-request': 'yes' };

/** What the requests of tests contain that are valid by the published documents. */
export type ValidRequests = Partial<Record<'requests' | 'frames' | 'hosted tools' | 'extensions', number>>;

/** Item types that both documents have. */
const COMMON_TYPES: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'item_reference',
  'compaction',
  'function',
]);

/** Forms that a document forbids and servers require, each with its reason. */
const EXCEPTIONS: readonly RegExp[] = [
  // llama.cpp and vLLM read plain reasoning in `content`. Open Responses has no such input, and OpenAI's document has.
  /^open-responses: \/input\/\d+\/content fits none of 1 alternatives, is \[\{"type":"reasoning_text"/,
  // Servers of Open Responses have the JSON mode of OpenAI, which their document lacks.
  /^open-responses: \/text\/format fits none of 1 alternatives, is \{"type":"json_object"\}$/,
  // The document has agent messages in outputs only. Items go back to the server as they came.
  /^openai: \/input\/\d+\/type must be one of \["item_reference"\], is "agent_message"$/,
];

/**
 * What the document of OpenAI requires of items that a host made itself, or that servers send without it. No recording shows
 * that the API needs it.
 */
const NOT_NEEDED: Readonly<Record<string, RegExp>> = {
  computer_call_output: /lacks id$/,
  local_shell_call: /lacks status$/,
  local_shell_call_output: /lacks (?:id|status)$/,
  mcp_approval_response: /lacks request_id$/,
  web_search_call: /\/action\/sources\/\d+(?:\/type must be one of \["url"\], is "api"| lacks url)$/,
};

const isExtension = (type: string): boolean => type.includes(':');
const isHosted = (type: string): boolean => !isExtension(type) && !COMMON_TYPES.has(type);

const toType = (item: object | undefined): string =>
  item !== undefined && 'type' in item ? String(item.type) : 'message';

/** Returns true if a document has what an error is about: hosted tools are OpenAI's, and extensions are not. */
function isRelevant(error: string, types: readonly string[], body: object): boolean {
  const [, document, field, index] = /^([\w-]+): \/(\w+)(?:\/(\d+))?/.exec(error) ?? [];
  const items =
    field === 'input' || field === 'tools' ? (body as Record<string, object[]>)[field] : undefined;
  const type = toType(items?.[Number(index)]);
  if (EXCEPTIONS.some(text => text.test(error))) return false;
  if (document === 'openai') return !types.some(isExtension) && NOT_NEEDED[type]?.test(error) !== true;
  // Other fields name what only hosted tools have.
  return items === undefined ? field !== 'include' || !types.some(isHosted) : !isHosted(type);
}

/**
 * Closes a server at the end of the test, checks the requests of this package's providers among those that it received, and
 * counts them. A hook of the file would be missing in the next one, because files of a worker share this module.
 */
export function closeAfterTest({ requests, close }: ClosedServer): void {
  onTestFinished(async ({ task }) => {
    await close();
    reportRequests(task, requests);
  });
}

function reportRequests(task: { readonly meta: object }, requests: readonly SentRequest[]): void {
  if (contract === undefined) return;
  const counts: ValidRequests = { ...(task.meta as { validRequests?: ValidRequests }).validRequests };
  const count = (name: keyof ValidRequests): void => void (counts[name] = (counts[name] ?? 0) + 1);
  let hasTypes = false;
  const errors = requests.flatMap(({ path, headers, body }) => {
    const { input, tools = [], type } = Object(body) as { input?: unknown; tools?: object[]; type?: unknown };
    const isOurs =
      headers['x-raw-request'] === undefined && !/ai-sdk[-/]/.test(String(headers['user-agent']));
    // A provider sends a list.
    if (!/\/responses(?:\?|$)/.test(path) || !Array.isArray(input) || !isOurs) return [];
    count(type === 'response.create' ? 'frames' : 'requests');
    const types = [...(input as object[]), ...tools].map(toType);
    if (types.some(isExtension)) count('extensions');
    if (types.some(isHosted)) count('hosted tools');
    const found = contract(type === 'response.create' ? 'ws-request' : 'request', body)
      .filter(error => isRelevant(error, types, Object(body)))
      // A server that has refused messages with a type receives them without.
      .filter(error => !hasTypes || !/^open-responses: \/input\/\d+ lacks type$/.test(error));
    hasTypes ||= (input as object[]).every(item => 'type' in item);
    return found.map(error => `${error} in ${JSON.stringify(body)}`);
  });
  Object.assign(task.meta, { validRequests: counts });
  expect(errors, 'requests that are invalid by the published documents').toEqual([]);
}
