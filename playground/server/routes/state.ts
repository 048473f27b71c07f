import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { modelAdapters } from 'kelivo-responses/adapters';
import * as z from 'zod';
import type { ModelList, PlaygroundState, Preset } from '../../shared/playground-state.js';
import type { PlaygroundContext } from '../context.js';
import { faultChoices } from '../emulator/faults.js';
import { priceTableSchema, retentionSchema, settingsSchema } from '../store/settings.js';
import { readJson } from './json-body.js';
import { describeFailure } from '../../shared/failure.js';
import type { Redactor } from '../redaction/redactor.js';
import { openTarget, type OpenTargetOptions } from '../turn/target.js';

const keyRequest = z.object({ key: z.string().trim().max(10_000) });

const presetName = z.string().trim().min(1, 'Expected a name.').max(100);
const presetChange = z.strictObject({ name: presetName.optional(), isDefault: z.boolean().optional() });

const MAX_PRESETS = 100;

/** @throws HTTPException if a preset has this name, or if there are too many. */
function refuseKnown(others: readonly Preset[], name: string): void {
  const message = others.some(preset => preset.name === name)
    ? `There is a preset “${name}” already. Choose another name.`
    : `There are ${MAX_PRESETS} presets already. Delete one first.`;
  if (others.length >= MAX_PRESETS || others.some(preset => preset.name === name))
    throw new HTTPException(409, { message });
}

const policyRequest = z.object({
  server: z.string().max(500),
  tool: z.string().max(500),
  conversationId: z.string().max(100).optional(),
});

/** Returns the settings and the choices of the page. No key is part of them. */
export function readState(
  {
    settings,
    presets,
    policies,
    keys,
    filesFolder,
  }: Pick<PlaygroundContext, 'settings' | 'presets' | 'policies' | 'keys' | 'filesFolder'>,
  conversationId = '',
): PlaygroundState {
  const current = settings.read(conversationId);
  return {
    settings: current,
    presets: presets.list(),
    key: keys.sourceFor(current.endpoint),
    adapters: modelAdapters.findFor(current.modelId).map(({ name }) => ({
      name,
      isOn: !current.disabledAdapters.includes(name),
    })),
    faults: faultChoices,
    filesFolder,
    prices: settings.readPrices(),
    retention: settings.readRetention(),
    // The hash of a definition includes secrets of its server.
    policies: policies.list().map(({ definition: _definition, ...policy }) => policy),
  };
}

/**
 * `GET|PATCH /` of the settings, `POST /presets`, `PATCH|DELETE /presets/:id`, `PUT /prices`, `PUT /retention`, `DELETE /policies`,
 * `PUT /key`, `GET /models`. With `?conversation=`, they are those of a conversation. No response contains a key.
 */
export function stateRoutes(playground: PlaygroundContext): Hono {
  const { settings, presets, keys, emulator, redactor, channel } = playground;
  const idOf = (context: Context): string => context.req.query('conversation') ?? '';
  const read = (context: Context): PlaygroundState => readState(playground, idOf(context));

  return new Hono()
    .get('/', context => context.json(read(context)))
    .patch('/', async context => {
      settings.change(await readJson(context, settingsSchema.partial()), idOf(context));
      channel.changed('state');
      return context.json(read(context));
    })
    .post('/presets', async context => {
      const { name } = await readJson(context, z.object({ name: presetName }));
      refuseKnown(presets.list(), name);
      presets.add(name, settings.read(idOf(context)));
      channel.changed('state');
      return context.json(read(context));
    })
    .patch('/presets/:id', async context => {
      const id = context.req.param('id');
      const change = await readJson(context, presetChange);
      const others = presets.list().filter(preset => preset.id !== id);
      if (change.name !== undefined) refuseKnown(others, change.name);
      if (!presets.change(id, change)) return context.notFound();
      channel.changed('state');
      return context.json(read(context));
    })
    .delete('/presets/:id', context => {
      presets.remove(context.req.param('id'));
      channel.changed('state');
      return context.json(read(context));
    })
    .put('/prices', async context => {
      settings.changePrices(await readJson(context, priceTableSchema));
      channel.changed('state');
      return context.json(read(context));
    })
    .put('/retention', async context => {
      const retention = await readJson(context, retentionSchema);
      settings.changeRetention(retention);
      playground.conversations.prune(retention);
      channel.changed('state');
      channel.changed('conversations');
      return context.json(read(context));
    })
    .delete('/policies', async context => {
      playground.policies.remove(await readJson(context, policyRequest));
      channel.changed('state');
      return context.json(read(context));
    })
    .put('/key', async context => {
      const { key } = await readJson(context, keyRequest);
      keys.keep(settings.read(idOf(context)).endpoint, key);
      channel.changed('state');
      return context.json(read(context));
    })
    .get('/models', async context => {
      const { endpoint } = settings.read(idOf(context));
      return context.json(
        await listModels(endpoint, { keys, emulator, redactor, signal: context.req.raw.signal }),
      );
    });
}

const modelsResponse = z.object({ data: z.array(z.object({ id: z.string().max(200) })).max(5000) });

/** Milliseconds. */
const TIMEOUT = 10_000;

/** Lists the models of an endpoint. If that fails, the list is empty and `problem` contains the reason. */
async function listModels(
  endpoint: string,
  { redactor, signal, ...options }: OpenTargetOptions & { redactor: Redactor; signal: AbortSignal },
): Promise<ModelList> {
  const target = await openTarget({ endpoint, fault: 'none', faultRequest: 0 }, options);
  try {
    const response = await fetch(toModelsUrl(target.baseURL), {
      headers: target.apiKey === undefined ? {} : { authorization: `Bearer ${target.apiKey}` },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    });
    if (!response.ok)
      return {
        models: [],
        problem: `Could not list the models of ${target.baseURL}: the endpoint returned status ${response.status}.`,
      };
    const { data } = modelsResponse.parse(await response.json());
    return { models: data.map(({ id }) => id).toSorted() };
  } catch (error) {
    const reason =
      error instanceof z.ZodError
        ? 'the response has an unknown format.'
        : `${describeFailure(error)}. Is the server running?`;
    const problem = `Could not list the models of ${target.baseURL}: ${reason}`;
    return { models: [], problem: redactor.text(problem) };
  } finally {
    await target.close();
  }
}

/** Appends `/models` to the path and keeps the query. */
function toModelsUrl(baseURL: string): URL {
  const url = new URL(baseURL);
  url.pathname = `${url.pathname.replace(/\/+$/, '') || '/v1'}/models`;
  return url;
}
