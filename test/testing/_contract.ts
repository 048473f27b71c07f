import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';

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
  readonly body: unknown;
}

/** The header of requests that a test writes itself, and not a provider of this package. */
export const RAW_REQUEST = { 'x-raw-request': 'yes' };

/** Item types that both documents have. Others are sent as a server wrote them, whatever a document says. */
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
];

/** Checks the requests of this package's providers among those that the servers of a test received, and counts them. */
export function reportRequests(task: { readonly meta: object }, requests: readonly SentRequest[]): void {
  if (contract === undefined) return;
  const sent = requests.filter(
    ({ path, headers, body }) =>
      /\/responses(?:\?|$)/.test(path) &&
      // A provider sends a list.
      Array.isArray((body as { input?: unknown } | null)?.input) &&
      headers['x-raw-request'] === undefined &&
      !String(headers['user-agent']).includes('ai-sdk/'),
  );
  const common = sent.filter(({ body }) => {
    const { input = [], tools = [] } = body as { input?: object[]; tools?: object[] };
    return [...input, ...tools].every(item => 'type' in item && COMMON_TYPES.has(item.type));
  });
  const errors = common.flatMap(({ body }) =>
    contract('request', body)
      .filter(error => !EXCEPTIONS.some(text => text.test(error)))
      .map(error => `${error} in ${JSON.stringify(body)}`),
  );
  const { validRequests = 0 } = task.meta as { validRequests?: number };
  Object.assign(task.meta, { validRequests: validRequests + common.length });
  expect(errors, 'requests that are invalid by the published documents').toEqual([]);
}
