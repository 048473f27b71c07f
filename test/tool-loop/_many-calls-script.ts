// Runs twelve turns at once on the MCP servers of the first argument, all with one signal of the host. Each turn has one
// round of 64 calls. Prints the number of successful outputs and of listeners that remain on the signal.
import { getEventListeners } from 'node:events';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { createMcpTools } from '../../src/tools/mcp/index.js';
import { call, callRound, exchangeOf, scriptedModel, stream, textRound } from './_scripted-model.js';

const tools = createMcpTools(JSON.parse(process.argv[2] ?? ''));
const { signal } = new AbortController();

async function runTurn(turn: number): Promise<number> {
  const model = scriptedModel(({ tools: offered = [] }) => {
    const echoes = offered.filter(({ name }) => name.includes('echo'));
    if (echoes.length === 0) throw new Error('No server offers its tools.');
    return callRound(
      ...Array.from({ length: 64 }, (_, index) =>
        call(`c${index}`, echoes[index % echoes.length]?.name ?? '', { text: `${turn} ${index}` }),
      ),
    );
  }, textRound('Done.'));
  await stream(withToolLoop(model, { tools, execution: 'parallel' }), {
    abortSignal: signal,
  });
  const { outputs } = exchangeOf(model.requests[1]);
  return outputs.filter(([, output], index) => JSON.stringify(output).includes(`echo ${turn} ${index}`))
    .length;
}

const counts = await Promise.all(Array.from({ length: 12 }, (_, turn) => runTurn(turn)));
await tools.close();
console.log(JSON.stringify({ counts, listeners: getEventListeners(signal, 'abort').length }));
