import { DBOS } from '@dbos-inc/dbos-sdk';
import { streamText } from 'ai';
import { type Approve, toolLoopCallOptions, type UnknownOutcomePolicy } from 'kelivo-responses/tool-loop';
import { createKelivoResponsesProvider } from 'kelivo-responses/v3';
import { fileURLToPath } from 'node:url';
import { type Answer, serveTurns, type TurnEvent } from '../shared/turn-server.ts';

const { DATABASE_URL, TRAIN_API = '', PORT = '4200', EXECUTOR = 'executor-1' } = process.env;
/** Policy for calls that started before a crash and have no recorded output: `refuse`, `ask` or `run`. */
const ON_UNKNOWN_OUTCOME = process.env.ON_UNKNOWN_OUTCOME as UnknownOutcomePolicy | undefined;
const DAY = 86_400;

/** Sends an event to the clients of a turn. */
type Send = (event: TurnEvent) => void;

/** Asks a person, for as long as a day. Messages are kept in Postgres, so another process may receive the answer. */
const approve: Approve = async ({ toolCallId, toolName, input, context }) => {
  (context as Send)({ type: 'question', questionId: toolCallId, toolName, input });
  const answer = await DBOS.recv<Answer>(toolCallId, { timeoutSeconds: DAY });
  return answer ?? { approved: false, reason: 'Nobody answered within a day.' };
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
  toolLoop: { approvals: 'destructive', approve, onUnknownOutcome: ON_UNKNOWN_OUTCOME },
});

/** One turn. After a crash, DBOS calls it again and returns the recorded steps. */
async function runTurn(prompt: string): Promise<string> {
  const id = DBOS.workflowID ?? '';
  const send = server.begin(id);
  const { fullStream } = streamText({
    model: provider('gpt-5'),
    prompt,
    maxRetries: 0, // The tool loop retries inside of its steps.
    providerOptions: {
      kelivo: toolLoopCallOptions({
        turnId: id,
        step: (name, run) => DBOS.runStep(run, { name }),
        context: send,
      }),
    },
    onError: () => {}, // The stream contains the error.
  });
  let text = '';
  for await (const part of fullStream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') text += part.text;
    if (['text-delta', 'tool-call', 'tool-result', 'tool-error'].includes(part.type)) send(part);
  }
  send({ type: 'end', text });
  return text;
}

const turn = DBOS.registerWorkflow(runTurn, { name: 'turn' });

DBOS.setConfig({
  name: 'trains',
  systemDatabaseUrl: DATABASE_URL,
  // A worker recovers the turns of its own executor and version. Change the version with the workflow.
  executorID: EXECUTOR,
  applicationVersion: '1',
  logLevel: 'error',
});

const server = await serveTurns(
  {
    start: async (id, prompt) => void (await DBOS.startWorkflow(turn, { workflowID: id })(prompt)),
    answer: (id, questionId, answer) => DBOS.send(id, answer, questionId),
    resume: async id => void (await DBOS.resumeWorkflow(id)),
    async textOf(id) {
      const { status, output } = (await DBOS.getWorkflowStatus(id)) ?? {};
      return status === 'SUCCESS' ? String(output) : undefined;
    },
  },
  { port: Number(PORT) },
);
await DBOS.launch(); // Recovers unfinished turns.
console.log(`Ready at http://127.0.0.1:${PORT}`);

process.once('SIGTERM', async () => {
  await server.close();
  await DBOS.shutdown();
  await provider.close();
});
