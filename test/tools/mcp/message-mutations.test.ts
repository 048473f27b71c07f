import { describe, expect, it } from 'vitest';
import { type Mutation, mutationsOf } from '../../_mutations.js';
import { call, openTools } from './_fixture-server.js';
import { type OddTransport, type Request, startOddServer, toPlainAnswer } from './_odd-server.js';

const TRANSPORTS: readonly OddTransport[] = ['json', 'stream', 'sse', 'stdio'];

/** Time limit of a call in milliseconds. An answer that arrives is read long before. */
const LIMIT = 30_000;

const nameOf = ({ path, change }: Mutation): string => `${path.join('.')} = ${change}`;

/**
 * Answers that cannot be assigned to a request, because several can be open on the connection. A stream may contain the answer
 * to another request.
 */
const isUnassigned = ({ path, change }: Mutation, transport: OddTransport): boolean =>
  path[0] === 'id' && (change === '7' ? transport !== 'json' : transport === 'sse' || transport === 'stdio');

/**
 * Returns a part of the mutations for each transport, because each mutation needs a connection of its own. `MUTATIONS=all`
 * tries all.
 */
const triedOver = (transport: OddTransport, mutations: readonly Mutation[]): readonly Mutation[] => {
  if (process.env.MUTATIONS === 'all') return mutations;
  const [step, first] = transport === 'stdio' ? [60, 0] : [27, 9 * TRANSPORTS.indexOf(transport)];
  return mutations.filter((_, index) => index % step === first);
};

async function openOdd(transport: OddTransport, answer: (request: Request) => unknown) {
  const config = await startOddServer(transport, answer);
  return openTools({ odd: { ...config, timeout: LIMIT } });
}

describe.each(TRANSPORTS)('one member of a message over %s', transport => {
  it('never loses, delays or invents the result of a call', async () => {
    let current: Mutation | undefined;
    const answerOf = (request: Request): unknown => {
      if (request.method !== 'tools/call' || current === undefined) return toPlainAnswer(request);
      const { id } = current.value as { id?: unknown };
      return { ...(current.value as object), ...(id === ID && { id: request.id }) };
    };
    const tools = await openOdd(transport, answerOf);
    await tools.listTools();
    const result = { _meta: { a: 1 }, content: [{ type: 'text', text: 'written' }], isError: false };
    const problems: string[] = [];
    for (const mutation of mutationsOf({ jsonrpc: '2.0', id: ID, result, error: { ignored: 1 } })) {
      // Only a mutation of the error keeps the member.
      current = mutation.path[0] === 'error' ? mutation : withoutError(mutation);
      if (isUnassigned(mutation, transport) || mutation.path.join('.') === 'error.ignored') continue;
      const { type, value } = await call(tools, 'write');
      const text = JSON.stringify(value);
      const isKept =
        !['result', 'error'].includes(mutation.path.join('.')) && !mutation.path.includes('content');
      const isLate = /did not respond/.test(text);
      const isLost =
        isKept && mutation.path.at(-1) !== 'isError' && !/written/.test(text) && !isForeignId(mutation);
      const isInvented = mutation.path.join('.') === 'result' && type !== 'error-text';
      if (isLate || isLost || isInvented) problems.push(`${nameOf(mutation)}: ${text}`);
    }
    expect(problems).toEqual([]);
  });

  it('never loses or delays the reason of a failed call', async () => {
    let current: Mutation | undefined;
    const answerOf = (request: Request): unknown => {
      if (request.method !== 'tools/call' || current === undefined) return toPlainAnswer(request);
      const { id } = current.value as { id?: unknown };
      return { ...(current.value as object), ...(id === ID && { id: request.id }) };
    };
    const tools = await openOdd(transport, answerOf);
    await tools.listTools();
    const error = { code: -32602, message: 'bad city', data: { city: 'x' } };
    const problems: string[] = [];
    for (const mutation of mutationsOf({ jsonrpc: '2.0', id: ID, result: null, error })) {
      current = mutation;
      if (isUnassigned(mutation, transport)) continue;
      const { type, value } = await call(tools, 'write');
      const text = JSON.stringify(value);
      const hasReason =
        mutation.path[0] !== 'error' || !['error', 'message'].includes(String(mutation.path.at(-1)));
      const isLost = hasReason && !text.includes('bad city') && !isForeignId(mutation);
      if (type !== 'error-text' || /did not respond/.test(text) || isLost)
        problems.push(`${nameOf(mutation)}: ${text}`);
    }
    expect(problems).toEqual([]);
  });

  it.each(['initialize', 'tools/list'])('never makes the tools unusable, for %s', async method => {
    const base = toPlainAnswer({ id: 1, method, params: { protocolVersion: '2025-06-18' } });
    const full = {
      ...base,
      result: {
        ...(base.result as object),
        _meta: { a: 1 },
        ...(method === 'tools/list' && { nextCursor: '', tools: [TOOL] }),
      },
    };
    const { id: _, ...answer } = full as Record<string, unknown>;
    const mutations = mutationsOf(answer).filter(({ path }) => !ESSENTIAL.has(path.join('.')));
    const problems: string[] = [];
    for (const mutation of triedOver(transport, mutations)) {
      const tools = await openOdd(transport, request => {
        const isOnFirstPage = request.params?.cursor === undefined;
        return request.method === method && isOnFirstPage
          ? { ...(mutation.value as object), id: request.id }
          : toPlainAnswer(request);
      });
      const { tools: listed, warnings } = await tools.listTools();
      if (!listed.some(({ name }) => name === 'write'))
        problems.push(`${nameOf(mutation)}: ${warnings.join()}`);
      await tools.close();
    }
    expect(problems).toEqual([]);
  });
});

const ID = 'the id of the request';

const TOOL = {
  name: 'write',
  title: 'Write',
  description: 'Writes.',
  inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  annotations: { readOnlyHint: true },
  _meta: { a: 1 },
};

/** Members without which there is no tool. */
const ESSENTIAL = new Set([
  'result',
  'result.protocolVersion',
  'result.capabilities.tools',
  'result.tools',
  'result.tools.0',
  'result.tools.0.name',
  'result.tools.0.inputSchema',
  'result.tools.0.inputSchema.type',
]);

/** An id of another request: the answer cannot be assigned, so the call fails at once over HTTP. */
const isForeignId = ({ path, change }: Mutation): boolean => path[0] === 'id' && change === '7';

const withoutError = (mutation: Mutation): Mutation => {
  const { error: _, ...value } = mutation.value as Record<string, unknown>;
  return { ...mutation, value };
};
