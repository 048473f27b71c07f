import { Hono } from 'hono';
import { modelAdapters } from 'kelivo-responses/adapters';
import * as z from 'zod';
import type { PlaygroundState } from '../../shared/playground-state.js';
import type { PlaygroundContext } from '../context.js';
import { faultChoices } from '../emulator/faults.js';
import { listModels } from '../list-models.js';
import { settingsSchema } from '../store/settings-store.js';
import { readJson } from './read-json.js';

const keyRequest = z.object({ key: z.string().trim().max(10_000) });

/** `GET|PATCH /` of the settings, `PUT /key`, `GET /models`. No answer ever holds a key. */
export function stateRoutes({ settings, keys, emulator, filesFolder, redactor }: PlaygroundContext): Hono {
  function read(): PlaygroundState {
    const current = settings.read();
    return {
      settings: current,
      key: keys.sourceFor(current.endpoint),
      adapters: modelAdapters.findFor(current.modelId).map(({ name }) => ({
        name,
        isOn: !current.disabledAdapters.includes(name),
      })),
      faults: faultChoices,
      filesFolder,
    };
  }

  return new Hono()
    .get('/', context => context.json(read()))
    .patch('/', async context => {
      settings.change(await readJson(context, settingsSchema.partial()));
      return context.json(read());
    })
    .put('/key', async context => {
      const { key } = await readJson(context, keyRequest);
      keys.keep(settings.read().endpoint, key);
      return context.json(read());
    })
    .get('/models', async context => {
      const { endpoint } = settings.read();
      return context.json(
        await listModels(endpoint, { keys, emulator, redactor, signal: context.req.raw.signal }),
      );
    });
}
