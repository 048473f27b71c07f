// The services of a recipe without keys: an emulated model and the train API. Prints the variables of the worker.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { startResponsesEmulator } from 'kelivo-responses/testing';

const bookings = new Map<string, string>();

const api = createServer((request, response) => {
  const key = String(request.headers['idempotency-key']);
  const isRepeated = bookings.has(key);
  const number = bookings.get(key) ?? `number ${bookings.size + 1}`;
  bookings.set(key, number);
  console.log(request.url, isRepeated ? 'again' : '', number);
  request.resume().once('end', () => response.end(`Done: ${number}`));
}).listen(4100, '127.0.0.1');
await once(api, 'listening');
const { baseURL } = await startResponsesEmulator({ port: 4101 });

console.log(`export TRAIN_API=http://127.0.0.1:4100 OPENAI_BASE_URL=${baseURL} OPENAI_API_KEY=none`);
