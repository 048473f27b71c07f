import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { startEmulator } from '../testing/_emulator.js';
import { read } from '../structure.js';

/*
 * Every sentence of SECURITY.md that promises something, with the attacks that would break it: a file of `test/` and the
 * title of a test in it. A sentence without a row fails, and so does a row without its test.
 */

type Attack = readonly [file: string, title: string];

const APPROVALS = 'tool-loop/approvals/host-approvals.test.ts';
const FORGED = [
  'core/versions/forged-histories.test.ts',
  'a forged $name, $attack, changes nothing in the request: ai $way.major.ai, streaming: $way.isStream',
] as const;
const PROMISES: Readonly<Record<string, readonly Attack[]>> = {
  'A tool call that runs although its approval was refused': [
    [APPROVALS, 'claims the request, so that a changed answer runs nothing'],
    [APPROVALS, 'expires after a day, also for a request that is only to be repeated'],
    [APPROVALS, 'does not cover %s'],
    [APPROVALS, 'an approval in a call with another scope, or without one, runs nothing and claims nothing'],
    [APPROVALS, 'runs nothing for a stranger, whose answer is not counted, and is accepted afterwards'],
    ['integration/host-approvals.test.ts', 'runs nothing: %s'],
    ['integration/host-approvals.test.ts', 'runs nothing if nobody was asked'],
    ['integration/host-approvals.test.ts', 'runs the call once, also if 100 answers arrive at the same time'],
  ],
  'A history that a client has changed': [
    FORGED,
    [
      'core/versions/history-secrets.test.ts',
      'does not show in a signature, which counts for one kind, value and place',
    ],
  ],
  'An approval of a call of a hosted MCP server': [
    FORGED,
    [
      'responses/request/approvals.test.ts',
      'that was requested by %s is only sent to a server that has the request',
    ],
  ],
  'A name in a history that gives': [
    ['tool-loop/renamed-tools.test.ts', 'does not decide what a name in `%s` means'],
    ['tool-loop/renamed-tools.test.ts', 'does not decide which tool `toolChoice` names'],
    [
      'tool-loop/renamed-tools.test.ts',
      'needs the approval of its stub after another server got a tool of the same name',
    ],
    ['tool-loop/renamed-tools.test.ts', 'does not get the calls of a tool of the application'],
    ['tool-loop/renamed-tools.test.ts', 'does not get the calls of a tool of the host, or of another server'],
  ],
  'A tool call with an effect that runs more than once in a turn with a journal': [
    ['tool-loop/durable/journal.test.ts', 'by finding nothing runs no call twice'],
    ['tool-loop/durable/journal.test.ts', 'by losing the claim to another process starts nothing afterwards'],
    ['tool-loop/durable/kill-points.test.ts', 'turns that are killed three times book once, clock: %s'],
    [
      'core/versions/truncation.test.ts',
      'ai $major.ai, $wrapper.name: does not run $name of a response that ends with $finish',
    ],
    [
      'adapters/text-tools/truncated-calls.test.ts',
      'ends a long call with an input that cannot run, wherever it is truncated',
    ],
  ],
  'A key, token or other secret in an error': [
    ['security/canaries.test.ts', 'is not contained in %s'],
    ['security/mcp-canaries.test.ts', 'is redacted when the server fails: %s'],
    ['core/redaction/rules.test.ts', 'replaces known values in every spelling, but no short ones'],
    ['tool-loop/durable/journal.test.ts', 'contain no options of the call'],
    [
      'playground/server/redaction.test.ts',
      'with OpenTelemetry, downloaded or sent, contains none of these secrets, nor does the list of traces',
    ],
    [
      'playground/server/app-secrets.test.ts',
      'shows and exports no secret of a span: names, messages, arguments, results and errors',
    ],
  ],
  'Text of a server, a model or a tool that starts a program': [
    ['security/promises.test.ts', 'starts no program and reads no file: %s'],
    ['security/redirects.test.ts', 'to another origin sends nothing there (%d)'],
    ['tools/mcp/addresses.test.ts', 'to another origin loses all credentials, and not within its origin'],
    ['playground/server/servers.test.ts', 'starts a new program only after its command line is confirmed'],
  ],
  'Credentials of an MCP server or a user': [
    ['tools/mcp/authorization.test.ts', 'never shares tokens between two users of one server'],
    ['tools/mcp/authorization.test.ts', 'sends configured headers to the MCP server only'],
    ['tools/mcp/connection-pool.test.ts', 'separates servers with different variables'],
    [
      'tools/mcp/create-mcp-tools.test.ts',
      'passes only the configured variables to a server, not those of the host',
    ],
    ['models/fallback.test.ts', 'that authenticate or name a tenant reach the first origin only'],
    ['playground/server/keys.test.ts', 'returns a key only for its origin, with any path'],
  ],
  'A request to an internal address': [
    ['tools/mcp/addresses.test.ts', 'is never requested, as with the client of the AI SDK'],
    [
      'tools/mcp/addresses.test.ts',
      'is resolved before each request, so that a name which changes is refused from then on',
    ],
  ],
  'An output, a setting or a credential of one user': [
    ['memories-of-users.test.ts', 'passes nothing from one user to another who differs in %s: %s'],
    ['tool-loop/repeated-turns.test.ts', 'is another one with another value of: %s'],
    ['tool-loop/repeated-turns.test.ts', 'read nothing of each other in %s (%#)'],
    ['tool-loop/repeated-turns.test.ts', 'gives each of 500 users at once the outputs of their own turn'],
    ['responses/compatibility/quoted-rejections.test.ts', 'change nothing for others: %s'],
  ],
  "A call in a model's text that runs": [
    [
      'adapters/text-tools/quoted-calls.test.ts',
      'has no effect in any place of the answer and any form of the page',
    ],
    ['adapters/text-tools/quoted-calls.test.ts', 'is the same as in a text of the user'],
  ],
  'A page, another local user or another port': [
    ['playground/server/guard.test.ts', 'rejects changes requested %s'],
    ['playground/server/guard.test.ts', 'rejects reads from another site'],
    [
      'playground/server/session.test.ts',
      'is refused by every route, with the origin of the page and without one',
    ],
    ['playground/server/apps.test.ts', 'only sends, and without it or from a page nothing is accepted'],
    [
      'playground/server/app-pages.test.ts',
      'may contact only encrypted origins and this machine, without the playground',
    ],
    ['testing/foreign-origins.test.ts', 'refuses pages of %s'],
  ],
  'The package verifies only what it has written itself': [FORGED],
  'Take the newest message from the client': [
    [
      'core/versions/history-secrets.test.ts',
      'keeps what a later turn needs, and leaves out everything else that a page may add',
    ],
  ],
  'If users bring API keys of their own': [
    [
      'core/versions/history-secrets.test.ts',
      'is the setting, else the environment, else derived from the API keys, else one of the process',
    ],
  ],
};

/** Sentences that state what an application does, or what it accepts. */
const STATEMENTS = [
  'Wrong answers of a model',
  'Texts, files, calls and results that a page shows',
  'See [messages of a client]',
  'Check that a conversation belongs to the user',
  'Without a scope, a client can send genuine messages',
  '`resume` and `previousResponseId` read any response',
  'Whoever knows `historySecret`',
  'With `historySecret: false` everything',
];

const policy = read('SECURITY.md');
const sectionOf = (title: string): string => policy.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
const sentences = ['What counts as a vulnerability', 'What an application has to check']
  .flatMap(title => sectionOf(title).split('\n'))
  .flatMap(line => line.replace(/^- (?:\*\*[^*]+\*\* )?/, '').split(/(?<=\.) (?=[A-Z`])/))
  .filter(sentence => sentence.trim() !== '');

describe('SECURITY.md', () => {
  it('promises nothing without an attack', () => {
    const starts = [...Object.keys(PROMISES), ...STATEMENTS];
    expect(sentences.length).toBeGreaterThan(15);
    expect(sentences.filter(sentence => !starts.some(start => sentence.startsWith(start)))).toEqual([]);
    expect(starts.filter(start => !sentences.some(sentence => sentence.startsWith(start)))).toEqual([]);
  });

  it.each(Object.entries(PROMISES))('has attacks that run: %s', (_, attacks) => {
    expect(attacks.length).toBeGreaterThan(0);
    for (const [file, title] of attacks) {
      const source = read(`test/${file}`);
      const at = source.lastIndexOf(`'${title}'`);
      expect(at, `${file} has no test "${title}".`).toBeGreaterThan(0);
      const opening = source.slice(0, at).match(/\b(?:it|test)(?:\.\w+)*[(<]/g);
      expect(opening?.at(-1), `The test "${title}" of ${file} does not run.`).toMatch(/^it(?:\.each)?[(<]$/);
    }
  });
});

describe('a text of a server, a model or a tool', () => {
  const toTexts = (folder: string): Record<string, string> => {
    const [mark, secret] = [path.join(folder, 'started'), path.join(folder, 'secret.txt')];
    return {
      'a command of a shell': `$(touch ${mark})\`touch ${mark}\`; touch ${mark}`,
      'a script': `{{require("fs").writeFileSync("${mark}","")}} <script>process.exit()</script>`,
      'a path': secret,
      'an address of a file': `file://${secret}`,
      'a variable': '${file:' + secret + '} ${env:SECRET_OF_THE_TEST} @' + secret,
    };
  };
  const server = `
    const text = process.argv[1];
    const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, resources: {} }, instructions: text,
        serverInfo: { name: text, version: '1', websiteUrl: text, icons: [{ src: text }] } } });
      else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'look', title: text, description: text,
        icons: [{ src: text }], inputSchema: { type: 'object', $ref: text, properties: { at: { $ref: text } } },
        _meta: { ui: { resourceUri: text } } }, { name: 'fail', description: text, inputSchema: { type: 'object' } }] } });
      else if (method === 'tools/call' && params.name === 'fail') send({ id, error: { code: -32000, message: text, data: text } });
      else if (method === 'tools/call') send({ id, result: { structuredContent: { text }, content: [
        { type: 'text', text }, { type: 'resource_link', uri: text, name: 'l' },
        { type: 'resource', resource: { uri: text, text: 'r' } },
        { type: 'image', data: text, mimeType: 'image/png' } ] } });
      else if (id !== undefined) send({ id, error: { code: -32601, message: text } });
    });
  `;

  it.each(Object.keys(toTexts('')))('starts no program and reads no file: %s', async name => {
    const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-promises-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const canary = `canary-${crypto.randomUUID()}`;
    await writeFile(path.join(folder, 'secret.txt'), canary);
    process.env.SECRET_OF_THE_TEST = canary;
    onTestFinished(() => void delete process.env.SECRET_OF_THE_TEST);
    const text = toTexts(folder)[name] ?? '';

    const emulator = await startEmulator();
    emulator.enqueue(
      [
        { text },
        { call: 'look', arguments: { at: text, path: text, url: text } },
        { call: 'fail', arguments: {} },
        { call: text.slice(0, 60), arguments: {} },
      ],
      { status: 500, body: { error: { message: text, code: text } } },
      [
        {
          text,
          annotations: [{ type: 'url_citation', url: text, title: text, start_index: 0, end_index: 1 }],
        },
      ],
      [{ text: 'Done.' }],
    );
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      apiKey: 'key',
      mcpServers: { odd: { command: process.execPath, args: ['-e', server, text] } },
    });
    onTestFinished(() => provider.close());
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Look' }] }];
    const outputs: unknown[] = [];
    const { stream } = await provider('gpt-5').doStream({ prompt });
    for await (const part of stream) outputs.push(part);

    const received = JSON.stringify([outputs, emulator.requests.map(({ body }) => body)]);
    // The text has arrived: from the model, and from the server.
    expect(emulator.requests.length).toBeGreaterThan(1);
    expect(received).toContain(JSON.stringify(text).slice(1, -1));
    expect(received).not.toContain(canary);
    expect(existsSync(path.join(folder, 'started'))).toBe(false);
    expect(await readFile(path.join(folder, 'secret.txt'), 'utf8')).toBe(canary);
  });
});
