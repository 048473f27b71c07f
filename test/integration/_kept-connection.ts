// Asks once over a WebSocket and prints the answer. It never calls `close()`, so the connection stays open.
import { generateText } from 'ai';
import { createKelivoResponsesProvider } from '../../src/index.js';

const [baseURL = ''] = process.argv.slice(2);
const provider = createKelivoResponsesProvider({ baseURL, apiKey: 'sk-test-12345', transport: 'websocket' });
const { text } = await generateText({ model: provider('gpt-5'), prompt: 'Go.' });
console.log(text);
