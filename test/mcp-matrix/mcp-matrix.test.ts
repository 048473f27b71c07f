import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMcpTools } from '../../src/tools/mcp/start-mcp-tools.js';
import { isAlive, until } from '../tools/mcp/_fixture-server.js';
import { cellOf, type Row, rows, type Session } from './_cells.js';
import { findChild, type ServerName, startServer, type TransportName } from './_servers.js';

const columns: readonly (readonly [ServerName, TransportName])[] = [
  ['SDK 1.x', 'stdio'],
  ['SDK 1.x', 'HTTP'],
  ['SDK 1.x', 'SSE'],
  ['SDK 2.x dual', 'stdio'],
  ['SDK 2.x dual', 'HTTP'],
  ['SDK 2.x modern', 'stdio'],
  ['SDK 2.x modern', 'HTTP'],
  ['everything', 'stdio'],
  ['everything', 'HTTP'],
  ['everything', 'SSE'],
  ['filesystem', 'stdio'],
];

/** The printed table: one row for each behaviour. */
const table = new Map<Row, Record<string, string>>(rows.map(row => [row, {}]));
/** Reasons why cells cannot exist. The table refers to them by number. */
const reasons: string[] = [];

describe.each(columns)('a server "%s" over %s', (server, transport) => {
  const column = `${server} ${transport}`;
  let session: Session;

  beforeAll(async () => {
    const running = await startServer(server, transport);
    const asked: { toolCallId?: string; url?: string }[] = [];
    const tools = startMcpTools(
      { matrix: running.config },
      {
        onElicitation(request, { toolCallId }) {
          const url = 'url' in request ? String(request.url) : undefined;
          asked.push({ toolCallId, ...(url !== undefined && { url }) });
          return url === undefined ? { action: 'accept', content: { name: 'Ada' } } : { action: 'accept' };
        },
        onSampling({ messages }, { toolCallId }) {
          asked.push({ toolCallId });
          const text = messages.map(({ content }) => ('text' in content ? content.text : '')).join('');
          return { role: 'assistant', model: 'parrot', content: { type: 'text', text } };
        },
      },
      { retryFailedAfter: 500 },
    );
    session = { tools, server: running, transport, asked };
  });

  afterAll(async () => {
    const { config } = session.server;
    const pid = 'command' in config ? findChild(config.args ?? []) : undefined;
    await session.tools.close();
    await session.server.close();
    // No process outlives the client.
    if (pid !== undefined) await until(async () => !(await isAlive(pid)));
  });

  for (const row of rows) {
    const cell = cellOf(server, transport, row);
    if (typeof cell === 'string') {
      if (!reasons.includes(cell)) reasons.push(cell);
      setCell(row, column, `– ${reasons.indexOf(cell) + 1}`);
      continue;
    }
    setCell(row, column, 'FAILED');
    it(row, async () => {
      await cell(session);
      setCell(row, column, '✓');
    });
  }
});

afterAll(() => {
  console.table(Object.fromEntries(table));
  console.log(reasons.map((reason, index) => `– ${index + 1}: ${reason}`).join('\n'));
});

it('has a result or a reason for each cell', () => {
  const cells = [...table.values()].flatMap(row => Object.values(row));
  expect(cells).toHaveLength(rows.length * columns.length);
  expect(cells.filter(cell => cell !== '✓' && !cell.startsWith('– '))).toEqual([]);
});

function setCell(row: Row, column: string, value: string): void {
  const cells = table.get(row);
  if (cells) cells[column] = value;
}
