import { Hono } from 'hono';
import { streamText } from 'hono/streaming';
import { HTTPException } from 'hono/http-exception';
import * as z from 'zod';
import type { PlaygroundContext } from '../context.js';
import type { ServerEntry } from '../mcp/server.js';
import type { AppPages } from '../mcp/app-pages.js';
import { findSchemaProblems, isUnreadable, toRefusal } from '../mcp/schema-check.js';
import { redactForDisplay } from '../mcp/traffic.js';
import { type CompletionDraft, LOG_LEVELS, type OpenedApp } from '../../shared/mcp-inspection.js';
import { draftCompletion } from '../turn/completion.js';
import { readJson } from './json-body.js';
import { listRequests } from './servers.js';

const callRequest = z.object({
  toolName: z.string().max(500),
  input: z.record(z.string(), z.unknown()),
  /** Sends values that break the schema, to test the checks of the server. */
  isForced: z.boolean().optional(),
  /** Starts a task, whose state and result the inspection and the history show. */
  isTask: z.boolean().optional(),
});
const readRequest = z.object({ uri: z.string().max(10_000) });
const appRequest = callRequest.pick({ toolName: true });
const levelRequest = z.object({ level: z.enum(LOG_LEVELS) });
const promptRequest = z.object({
  name: z.string().max(500),
  arguments: z.record(z.string(), z.string()).optional(),
});
const completeRequest = z.object({
  ref: z.discriminatedUnion('type', [
    z.object({ type: z.literal('ref/prompt'), name: z.string() }),
    z.object({ type: z.literal('ref/resource'), uri: z.string() }),
  ]),
  argument: z.object({ name: z.string(), value: z.string() }),
});
const responseRequest = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z
    .union([
      z.string().max(200_000),
      z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
    ])
    .optional(),
  model: z.string().max(500).optional(),
});

/**
 * Inspects MCP servers without the model: `GET /:server` for tools, messages and sign-in steps, `POST /:server/call`,
 * `POST /:server/tasks/:number/cancel`, `GET /:server/history?tool=`, `GET /:server/history/:number/secrets`, `PUT /:server/log-level`, `GET /:server/resources`,
 * `POST /:server/read`, `POST /:server/app` for the page of an MCP app, `POST /:server/app/call` for a call of it that the user
 * has allowed, `POST /:server/subscribe`, whose response lasts as long as the subscription and has a line whenever it begins
 * again, `GET /:server/prompts`, `POST /:server/prompt`,
 * `POST /:server/complete`, `POST /requests/:id` with the response to a request of a server, and
 * `POST /requests/:id/draft`, in which the model writes one.
 */
export function mcpRoutes(playground: PlaygroundContext, appPages: AppPages): Hono {
  const { servers, redactor } = playground;
  const find = (name: string): ServerEntry => {
    const entry = servers.find(name);
    if (entry === undefined) throw new HTTPException(404, { message: 'No MCP server has this name.' });
    return entry;
  };
  /** Lists are not redacted, because the page sends their addresses and names back. */
  const show = <Value>(value: Value): Value => redactForDisplay(value, redactor);
  return new Hono()
    .post('/requests/:id', async context => {
      const id = context.req.param('id');
      const response = await readJson(context, responseRequest);
      const request = servers.desk.pending().find(one => one.id === id);
      if (request?.kind === 'form' && response.action === 'accept') {
        const { requestedSchema } = request.params as { requestedSchema?: unknown };
        const problems = findSchemaProblems(requestedSchema, response.content);
        if (problems.length > 0) return context.json(toRefusal(problems), 422);
      }
      const wasPending = servers.desk.respond(id, response);
      return wasPending
        ? context.json({})
        : context.json({ error: 'This request is no longer pending.' }, 410);
    })
    .post('/requests/:id/draft', async context => {
      const request = listRequests(playground).find(({ id }) => id === context.req.param('id'));
      if (request?.kind !== 'sampling')
        return context.json({ error: 'This request is no longer pending.' }, 410);
      const settings = playground.settings.read(request.conversationId);
      const draft: CompletionDraft = {
        modelId: settings.modelId,
        text: await draftCompletion(request.params, {
          ...playground,
          settings,
          signal: context.req.raw.signal,
        }),
      };
      return context.json(draft);
    })
    .get('/:server', async context => {
      const after = Number(context.req.query('after') ?? 0);
      if (!Number.isSafeInteger(after))
        throw new HTTPException(400, { message: 'Expected `after` to be an integer.' });
      return context.json(await find(context.req.param('server')).inspect(after));
    })
    .post('/:server/call', async context => {
      const { toolName, input, isForced = false, isTask = false } = await readJson(context, callRequest);
      const { signal } = context.req.raw;
      const entry = find(context.req.param('server'));
      const schema = entry.inputSchema(toolName);
      const problems = schema === undefined || isForced ? [] : findSchemaProblems(schema, input);
      const unchecked = problems.find(isUnreadable)?.message;
      if (problems.length > 0 && unchecked === undefined) return context.json(toRefusal(problems), 422);
      if (!isTask) {
        const result = await entry.call(toolName, { input, signal });
        return context.json({ ...result, ...(unchecked !== undefined && { unchecked }) });
      }
      entry.startTask(toolName, input);
      return context.json({}, 202);
    })
    .post('/:server/tasks/:number/cancel', context => {
      const wasRunning = find(context.req.param('server')).cancelTask(Number(context.req.param('number')));
      return wasRunning ? context.json({}) : context.json({ error: 'This task is no longer running.' }, 410);
    })
    .get('/:server/history', context =>
      context.json(find(context.req.param('server')).history.list(context.req.query('tool') ?? '')),
    )
    .get('/:server/history/:number/secrets', context => {
      const result = find(context.req.param('server')).history.secretResult(
        Number(context.req.param('number')),
      );
      return result === undefined
        ? context.json({ error: 'The result of this call is no longer kept.' }, 410)
        : context.json({ result });
    })
    .get('/:server/resources', async context => {
      const name = context.req.param('server');
      const mcp = find(name).features();
      const [resources, templates] = await Promise.all([
        mcp.listResources(name),
        mcp.listResourceTemplates(name),
      ]);
      return context.json({ resources, templates });
    })
    .post('/:server/read', async context => {
      const name = context.req.param('server');
      const { contents } = await find(name)
        .features()
        .readResource(name, await readJson(context, readRequest));
      return context.json(show(contents));
    })
    .post('/:server/app', async context => {
      const server = context.req.param('server');
      const { toolName } = await readJson(context, appRequest);
      const ownHost = context.req.header('host') ?? '';
      const entry = find(server);
      const { uri, tools } = await entry.findApp(toolName);
      const page = await appPages.open(entry.features(), { server, uri, ownHost });
      return context.json({ ...page, tools } satisfies OpenedApp);
    })
    .post('/:server/app/call', async context => {
      const { toolName, input } = await readJson(context, callRequest);
      const { signal } = context.req.raw;
      return context.json(
        await find(context.req.param('server')).call(toolName, { input, signal, isForApp: true }),
      );
    })
    .post('/:server/subscribe', async context => {
      const name = context.req.param('server');
      const { uri } = await readJson(context, readRequest);
      let onRenewed = (): void => {};
      const { ended, leave } = await find(name).follow(uri, () => onRenewed());
      return streamText(context, async stream => {
        const left = new Promise<void>(resolve => stream.onAbort(resolve));
        onRenewed = () => void stream.writeln('renewed');
        await stream.writeln('subscribed');
        await Promise.race([left, ended]);
        await leave();
      });
    })
    .put('/:server/log-level', async context => {
      const { level } = await readJson(context, levelRequest);
      await find(context.req.param('server')).setLogLevel(level);
      return context.json({});
    })
    .get('/:server/prompts', async context => {
      const name = context.req.param('server');
      return context.json(await find(name).features().listPrompts(name));
    })
    .post('/:server/prompt', async context => {
      const name = context.req.param('server');
      const prompt = await find(name)
        .features()
        .getPrompt(name, await readJson(context, promptRequest));
      return context.json(show(prompt));
    })
    .post('/:server/complete', async context => {
      const name = context.req.param('server');
      return context.json(
        await find(name)
          .features()
          .complete(name, await readJson(context, completeRequest)),
      );
    });
}
