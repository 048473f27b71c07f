import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import * as z from 'zod';
import type { TurnPlace } from '../../shared/page-event.js';
import { readText, type TurnRecord } from '../../shared/playground-state.js';
import {
  type FixtureTurn,
  RECORDING_DELETED,
  REPORT_FORMAT,
  type ReportedTurn,
  toFixture,
  toFixtureTurn,
} from '../bug-report.js';
import type { PlaygroundContext } from '../context.js';
import { withoutTools } from '../mcp/servers.js';
import { toRedactedOtlp } from '../otlp/exporter.js';
import { redactMessages, redactTraces } from '../redaction/trace-redaction.js';
import { toTestFile } from '../saved-test.js';
import { createTraceList } from '../trace-list.js';
import { adaptersFor } from '../turn/model.js';
import { runTurn } from '../turn/turn.js';
import { readJson } from './json-body.js';

/** Parts of a bug report that a replay uses. */
const reportSchema = z.object(
  {
    format: z.literal(REPORT_FORMAT, `Expected a bug report with the format ${REPORT_FORMAT}`),
    turns: z
      .array(
        z.object({
          thread: z.enum(['main', 'left', 'right']),
          flag: z.enum(['kelivo', 'official']).optional(),
          modelId: z.string().max(200).optional(),
          adapters: z.array(z.string()),
          warnings: z.array(z.string()),
          exchanges: z.array(
            z.object({
              round: z.number(),
              request: z.object({
                method: z.string(),
                url: z.string(),
                headers: z.record(z.string(), z.string()),
                body: z.unknown(),
              }),
              status: z.number().int().min(200).max(599).optional(),
              headers: z.record(z.string(), z.string()).optional(),
              body: z.string(),
              end: z.enum(['complete', 'aborted', 'broken']).optional(),
            }),
          ),
        }),
      )
      .min(1, 'Expected a bug report with at least one turn'),
  },
  'Expected the JSON of a bug report',
);

const replayRequest = z.object({ report: reportSchema, turn: z.number().int().min(0) });

const faultRequest = z.object({ fault: z.string().max(50) });

/**
 * `GET /` lists all turns and `GET /:message` returns one. `GET /:message/otlp` and `GET /:message/test` export it, and
 * `POST /:message/replay` runs it again. `POST /replay` runs a turn of a bug report.
 */
export function traceRoutes(playground: PlaygroundContext): Hono {
  const { apps, conversations, redactor } = playground;
  const list = createTraceList(playground);
  const find = (messageId: string): ReportedTurn & { conversationId: string; title: string } => {
    const running = apps.find(messageId);
    if (running !== undefined) return { ...running, trace: running.outline };
    const place = conversations.findTurn(messageId);
    const trace = place && conversations.readTrace(place.conversationId, messageId);
    if (place === undefined || trace === undefined)
      throw new HTTPException(404, { message: 'No turn has this id.' });
    return { ...place, thread: 'main', trace };
  };
  /** Returns what was asked and answered, without secrets. */
  const readDialogue = (conversationId: string, messageId: string) => {
    const running = apps.find(messageId);
    const path = running === undefined ? conversations.pathTo(conversationId, messageId) : [];
    const asked = path.findLast(({ message }) => message.role === 'user')?.message;
    const question = running?.question ?? readText(asked);
    const message = running?.message ??
      path.at(-1)?.message ?? { id: messageId, role: 'assistant', parts: [] };
    const stored = { message, parentId: null, versions: [], outline: [] };
    const [answer = stored] = redactMessages([stored], { redactor });
    return { question: redactor.text(question), message: answer.message };
  };
  return new Hono()
    .get('/', async context => context.body(await list(), 200, { 'content-type': 'application/json' }))
    .get('/:message', context => {
      const turn = find(context.req.param('message'));
      const [events] = redactTraces([turn.trace], { redactor });
      const record: TurnRecord = {
        conversationId: turn.conversationId,
        title: redactor.text(turn.title),
        ...readDialogue(turn.conversationId, context.req.param('message')),
        events: events ?? [],
      };
      return context.json(record);
    })
    .get('/:message/otlp', context => {
      const message = context.req.param('message');
      return context.json(
        toRedactedOtlp(find(message).trace, { turnId: message, redactor }),
        200,
        toDownload(`trace-${message}.otlp.json`),
      );
    })
    .get('/:message/test', async context => {
      const message = context.req.param('message');
      const [turn] = toFixture([find(message)], { redactor }).turns;
      return context.text(
        await toTestFile(requireRequests(turn), { name: message }),
        200,
        toDownload(`trace-${message.slice(0, 8)}.test.ts`),
      );
    })
    .post('/replay', async context => {
      const { report, turn } = await readJson(context, replayRequest);
      if (turn >= report.turns.length)
        throw new HTTPException(400, {
          message: `Expected a turn of the report, which has ${report.turns.length}, got turn ${turn + 1}.`,
        });
      const replayed = requireRequests(report.turns[turn]);
      return context.json(startReplay(playground, replayed), 202);
    })
    .post('/:message/replay', async context => {
      const { fault } = await readJson(context, faultRequest);
      const { conversationId, ...stored } = find(context.req.param('message'));
      const turn = requireRequests(toFixtureTurn(stored));
      return context.json(startReplay(playground, turn, { fault, conversationId }), 202);
    });
}

function requireRequests<Turn extends Pick<FixtureTurn, 'exchanges' | 'warnings'>>(
  turn: Turn | undefined,
): Turn {
  if (turn !== undefined && turn.exchanges.length > 0) return turn;
  const reason = turn?.warnings.includes(RECORDING_DELETED) ? ` ${RECORDING_DELETED}` : '';
  throw new HTTPException(400, {
    message: `Expected a turn with recorded requests, got one without any.${reason}`,
  });
}

/**
 * Starts a turn in a new conversation, in which the emulator sends the recorded responses. Every tool call waits for an
 * approval, because the report decides what is called, and may come from anyone. The tools are those of the recorded request
 * that are switched on in the conversation of the turn.
 *
 * @param conversationId The conversation of the turn. @default none, a turn of a bug report
 */
function startReplay(
  playground: PlaygroundContext,
  turn: ReplayedTurn,
  { fault = 'none', conversationId: origin }: { fault?: string; conversationId?: string } = {},
): Omit<TurnPlace, 'thread'> {
  const { conversations, settings, turns, channel, servers } = playground;
  const off = settings.read(origin).disabledTools;
  const sent = readToolNames(turn.exchanges[0]?.request.body);
  const question = readQuestion(turn.exchanges[0]?.request.body);
  const conversationId = randomUUID();
  const message = {
    id: randomUUID(),
    role: 'user' as const,
    parts: [{ type: 'text' as const, text: question }],
  };
  const place: TurnPlace = { conversationId, thread: 'main', responseId: randomUUID(), parentId: message.id };
  settings.pin(conversationId);
  const current = settings.read(conversationId);
  const chosen = {
    ...current,
    flag: turn.flag === 'kelivo' || turn.flag === 'official' ? turn.flag : current.flag,
    modelId: turn.modelId ?? current.modelId,
    endpoint: 'emulator',
    fault,
    faultRequest: 1,
    approvals: 'always' as const,
    disabledAdapters: [],
  };
  conversations.open(conversationId, { mode: 'chat', title: `Replay: ${question.slice(0, 50)}` });
  conversations.addQuestion({ conversationId, thread: 'main', parentId: null }, message);
  channel.changed({ conversationId });
  turns.start(place, writer =>
    runTurn(
      {
        ...playground,
        conversationId,
        responseId: place.responseId,
        history: conversations.pathTo(conversationId, message.id),
        settings: chosen,
        adapters: adaptersFor(chosen).filter(({ name }) => turn.adapters.includes(name)),
        mcpTools: withoutTools(servers.tools(off), name => sent !== undefined && !sent.has(name)),
        replay: turn.exchanges,
      },
      writer,
    ),
  );
  const { responseId, parentId } = place;
  return { conversationId, responseId, parentId };
}

type ReplayedTurn = Pick<FixtureTurn, 'adapters' | 'exchanges' | 'modelId'> & {
  flag?: string;
};

/** Returns the names of the tools in a recorded request, or undefined if it has none or describes them in its text. */
function readToolNames(body: unknown): ReadonlySet<unknown> | undefined {
  const tools = (body as { tools?: unknown } | null | undefined)?.tools;
  if (!Array.isArray(tools)) return undefined;
  return new Set(tools.map(tool => (tool as { name?: unknown } | null)?.name));
}

/** Returns the text of the last user message in a recorded request. */
function readQuestion(body: unknown): string {
  const input = (body as { input?: unknown } | null | undefined)?.input;
  if (typeof input === 'string' && input !== '') return input;
  const items: unknown[] = Array.isArray(input) ? input : [];
  const last = items.findLast(item => (item as { role?: unknown } | null)?.role === 'user');
  const content = (last as { content?: unknown } | undefined)?.content;
  const parts: unknown[] = Array.isArray(content) ? content : [{ text: content }];
  const texts = parts.flatMap(part => {
    const text = (part as { text?: unknown } | null)?.text;
    return typeof text === 'string' ? [text] : [];
  });
  return texts.join('\n') || 'A turn of a bug report';
}

const toDownload = (name: string) => ({ 'content-disposition': `attachment; filename="${name}"` });
