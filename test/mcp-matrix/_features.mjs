// The tools, resources and prompts of the servers in this folder. The servers differ in their SDK and transports.
import { existsSync } from 'node:fs';
import * as z from 'zod/v4';

/** What the process remembers, because HTTP servers are created for each session or request. */
const state = { cancelled: 0, hasAdded: false };

/** A transparent PNG of one pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const toText = text => ({ content: [{ type: 'text', text }] });

/** The requests that the tools send to the host, without the parts that differ between SDKs. */
const questions = {
  form: {
    message: 'Who are you?',
    requestedSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer', default: 30 } },
    },
  },
  url: { message: 'Sign in to the shop.', url: 'https://shop.example/sign-in?code=17' },
  sampling: { messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }], maxTokens: 20 },
};

/**
 * Registers everything on a server of either SDK.
 *
 * @param sdk The calls that differ between the SDKs: `signalOf` and `notify` take the context of a call, `ask` returns
 * the result of a call that asks the host, `announce` reports a changed tool list, and `toArgsSchema` takes the arguments
 * of a prompt.
 */
export function registerFeatures(
  server,
  { signalOf, progressTokenOf, notify, ask, announce, toArgsSchema = z.object },
) {
  const tool = (name, properties, run, config = {}) =>
    server.registerTool(name, { inputSchema: z.object(properties), ...config }, run);
  const registerAdded = () => tool('added', {}, () => toText('added later'));

  tool('echo', { text: z.string() }, ({ text }) => toText(`echo ${text}`), {
    annotations: { readOnlyHint: true },
  });
  tool('progress', { steps: z.number(), gate: z.string() }, async ({ steps, gate }, context) => {
    for (let progress = 1; progress <= steps; progress++) {
      const params = { progressToken: progressTokenOf(context), progress, total: steps };
      await notify(context, { method: 'notifications/progress', params });
    }
    // The client SDK drops the last notification if it reads the result together with it.
    while (!existsSync(gate)) await new Promise(resolve => setTimeout(resolve, 10));
    return toText(`${steps} steps`);
  });
  tool('wait', {}, (_args, context) => {
    const signal = signalOf(context);
    return new Promise(resolve => {
      signal.addEventListener('abort', () => {
        state.cancelled++;
        resolve(toText('cancelled'));
      });
    });
  });
  tool('count-cancelled', {}, () => toText(String(state.cancelled)));
  for (const [kind, question] of Object.entries(questions)) {
    tool(`ask-${kind}`, {}, async (_args, context) => ask(kind, question, context));
  }
  tool('add-tool', {}, async (_args, context) => {
    state.hasAdded = true;
    await announce(context, registerAdded);
    return toText('added');
  });
  if (state.hasAdded) registerAdded();
  tool('image', {}, () => ({
    content: [
      { type: 'text', text: 'One pixel:' },
      { type: 'image', data: pixel, mimeType: 'image/png' },
    ],
  }));
  tool('structured', {}, () => ({ ...toText('17 degrees'), structuredContent: { degrees: 17 } }), {
    outputSchema: z.object({ degrees: z.number() }),
  });
  tool('fail', {}, () => ({ ...toText('No such train.'), isError: true }));
  tool('pid', {}, () => toText(String(process.pid)));
  tool('crash', {}, () => process.exit(5));

  const metadata = { title: 'A note', mimeType: 'text/plain' };
  server.registerResource('note', 'note://1', metadata, uri => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'Bring milk.' }],
  }));
  server.registerPrompt('greet', { argsSchema: toArgsSchema({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }],
  }));
}

/** Listens on 127.0.0.1, on the port of the environment or a free one, and prints the port. */
export function listen(server) {
  // A busy client would send a request on a connection that is closed at the same moment.
  server.keepAliveTimeout = 0;
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
    console.error(`listening on ${server.address().port}`),
  );
}
