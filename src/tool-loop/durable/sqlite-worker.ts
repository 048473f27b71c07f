import { parentPort, workerData } from 'node:worker_threads';
import { createSqliteRunner, type StoreOperation, toFailure, type WorkerAnswer } from './sqlite-database.js';

/* The worker thread of the SQLite store. It answers each group of operations with one message. */

const { path } = workerData as { readonly path: string };
/** The attempts of SQLite wait fairly, and may block this thread. */
const runner = createSqliteRunner(path, 1000);
const answer = (message: WorkerAnswer): void => parentPort?.postMessage(message);

parentPort?.on('message', (message: readonly StoreOperation[] | 'close') => {
  if (message === 'close') {
    runner.close();
    return answer({});
  }
  runner.run(message).then(
    outcomes =>
      answer({
        outcomes: outcomes.map(outcome =>
          'value' in outcome ? outcome : { error: toFailure(outcome.error) },
        ),
      }),
    (error: unknown) => answer({ failure: toFailure(error) }),
  );
});
answer({});
