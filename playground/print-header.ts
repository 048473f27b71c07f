import type { InspectedServer } from './inspect-servers.js';
import type { Demo } from './open-demo.js';
import type { Endpoint } from './open-endpoint.js';
import { count } from './print-turn.js';
import type { Terminal } from './terminal.js';

/** Says who talks to whom, before anything is asked. */
export function printHeader(
  terminal: Terminal,
  { demo, modelId, hasLoop, question }: { demo: Demo; modelId: string; hasLoop: boolean; question: string },
): void {
  const row = (title: string, text: string): void => {
    terminal.write(title.padEnd(10), 'dim');
    terminal.line(text);
  };
  const { servers, notes } = demo.inspection;
  row('endpoint', describeEndpoint(demo.endpoint));
  row('model', modelId);
  if (hasLoop) {
    row('mcp', servers.map(describeServer).join(', ') || 'no server');
    row('local', demo.localTools.join(', '));
  } else {
    row('no loop', "toolLoop is off: the bare model, with the host's stopWhen and no tools");
  }
  for (const { problem } of servers) {
    if (problem !== undefined) terminal.line(`warning: ${problem}`, 'yellow');
  }
  for (const note of notes) terminal.line(`note: ${note}`, 'dim');
  terminal.write('\n');
  terminal.line(`> ${question}`, 'bold');
  terminal.write('\n');
}

function describeEndpoint({ address, isEmulator, hasKey }: Endpoint): string {
  if (isEmulator) return `${address} (emulator, needs no key)`;
  return `${address} (${hasKey ? 'key of OPENAI_API_KEY' : 'without a key'})`;
}

const describeServer = ({ name, toolCount, problem }: InspectedServer): string =>
  problem === undefined ? `${name} (${count(toolCount, 'tool')})` : `${name} (failed)`;
