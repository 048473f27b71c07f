import * as restate from '@restatedev/restate-sdk';
import { streamText } from 'ai';
import { type Approve, toolLoopCallOptions, type UnknownOutcomePolicy } from 'kelivo-responses/tool-loop';
import { createKelivoResponsesProvider } from 'kelivo-responses/v4';
import { fileURLToPath } from 'node:url';
import { type Answer, serveTurns, type TurnEvent } from '../shared/turn-server.ts';

const { TRAIN_API = '', PORT = '4200', SERVICE_PORT = '9080' } = process.env;
const { RESTATE_INGRESS = 'http://127.0.0.1:8080' } = process.env;

/** Policy for calls that started before a crash and have no recorded output: `refuse`, `ask` or `run`. */
const ON_UNKNOWN_OUTCOME = process.env.ON_UNKNOWN_OUTCOME as UnknownOutcomePolicy | undefined;

/** The context of a turn, which `approve` receives. */
interface TurnContext {
  readonly ctx: restate.WorkflowContext;
  readonly send: (event: TurnEvent) => void;
}

/** Asks a person. The awakeable is kept by the Restate server, so another process may receive the answer. */
const approve: Approve = async ({ toolName, input, context }) => {
  const { ctx, send } = context as TurnContext;
  const { id, promise } = ctx.awakeable<Answer>();
  send({ type: 'question', questionId: id, toolName, input });
  return promise;
};

const provider = createKelivoResponsesProvider({
  mcpServers: {
    trains: {
      command: process.execPath,
      args: [fileURLToPath(new URL('../shared/train-server.mjs', import.meta.url))],
      env: { TRAIN_API },
      trustAnnotations: true,
    },
  },
  // A handler of Restate may wait for one promise at a time, so no two steps may overlap.
  toolLoop: {
    ...{ approvals: 'destructive', approve, execution: 'sequential' },
    onUnknownOutcome: ON_UNKNOWN_OUTCOME,
  },
});

/** One turn. After a crash, the Restate server calls it again with the recorded steps. */
async function runTurn(ctx: restate.WorkflowContext, prompt: string): Promise<string> {
  const send = server.begin(ctx.key);
  const { fullStream } = streamText({
    model: provider('gpt-5'),
    prompt,
    maxRetries: 0, // The tool loop retries inside of its steps.
    providerOptions: {
      kelivo: toolLoopCallOptions({
        turnId: ctx.key,
        step: (name, run) => ctx.run(name, run, { maxRetryAttempts: 1 }),
        context: { ctx, send } satisfies TurnContext,
      }),
    },
    onError: () => {}, // The stream contains the error.
  });
  let text = '';
  for await (const part of fullStream) {
    // Any other error would be retried without end.
    if (part.type === 'error') throw new restate.TerminalError(String(part.error));
    if (part.type === 'text-delta') text += part.text;
    if (['text-delta', 'tool-call', 'tool-result', 'tool-error'].includes(part.type)) send(part);
  }
  send({ type: 'end', text });
  return text;
}

const turn = restate.workflow({
  name: 'turn',
  handlers: { run: runTurn },
  // Longer than any round and any call.
  options: { inactivityTimeout: { minutes: 15 }, abortTimeout: { minutes: 15 } },
});

/** Sends a request to the Restate server. */
async function request(path: string, body?: unknown): Promise<Response> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  return fetch(`${RESTATE_INGRESS}/${path}`, body === undefined ? {} : init);
}

const server = await serveTurns(
  {
    async start(id, prompt) {
      const { status } = await request(`turn/${id}/run/send`, prompt);
      // 409: the turn exists.
      if (status >= 400 && status !== 409) throw new Error(`Restate returned status ${status}.`);
    },
    async answer(_id, questionId, answer) {
      const { ok, status } = await request(`restate/awakeables/${questionId}/resolve`, answer);
      if (!ok) throw new Error(`Restate returned status ${status}.`);
    },
    async textOf(id) {
      const response = await request(`restate/workflow/turn/${id}/output`);
      return response.ok ? String(await response.json()) : undefined;
    },
  },
  { port: Number(PORT) },
);
await restate.serve({ services: [turn], port: Number(SERVICE_PORT) });
console.log(`Ready at http://127.0.0.1:${PORT}`);

process.once('SIGTERM', async () => {
  await server.close();
  await provider.close();
  process.exit();
});
