import { afterAll, beforeAll, describe, it, onTestFinished } from 'vitest';
import { createMcpTools } from '../../src/tools/mcp/index.js';
import type { ToolSource } from '../../src/tools/tool-source.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { hosts, modes } from './_host.js';
import type { Scenario } from './_scenario.js';
import { startScene } from './_scene.js';
import { type Cell, toTable } from './_table.js';
import { abort } from './scenarios/abort.js';
import { agents } from './scenarios/agents.js';
import { approvals } from './scenarios/approvals.js';
import { brokenStreams } from './scenarios/broken-streams.js';
import { commentary } from './scenarios/commentary.js';
import { conversation } from './scenarios/conversation.js';
import { declaredMcpTools } from './scenarios/declared-mcp-tools.js';
import { embeddings } from './scenarios/embeddings.js';
import { finishReasons } from './scenarios/finish-reasons.js';
import { hostedApprovals } from './scenarios/hosted-approvals.js';
import { hostTools } from './scenarios/host-tools.js';
import { imagesAcrossTurns } from './scenarios/images-across-turns.js';
import { mediaOfTools } from './scenarios/media-of-tools.js';
import { middlewares } from './scenarios/middlewares.js';
import { mixedRounds } from './scenarios/mixed-rounds.js';
import { opaqueItems } from './scenarios/opaque-items.js';
import { reasoningEffort } from './scenarios/reasoning-effort.js';
import { registries } from './scenarios/registries.js';
import { rejectedRequests } from './scenarios/rejected-requests.js';
import { toolsInTheProvider } from './scenarios/tools-in-the-provider.js';
import { structuredOutput } from './scenarios/structured-output.js';
import { text } from './scenarios/text.js';
import { toolChoice } from './scenarios/tool-choice.js';
import { uiMessages } from './scenarios/ui-messages.js';
import { undeclaredMcpTools } from './scenarios/undeclared-mcp-tools.js';
import { usageOfRounds } from './scenarios/usage-of-rounds.js';
import { warnings } from './scenarios/warnings.js';

// Runs every scenario with every AI SDK major and provider version, over HTTP and with an MCP server process.

const scenarios: readonly Scenario[] = [
  text,
  hostTools,
  declaredMcpTools,
  undeclaredMcpTools,
  mixedRounds,
  toolsInTheProvider,
  structuredOutput,
  commentary,
  uiMessages,
  conversation,
  opaqueItems,
  imagesAcrossTurns,
  mediaOfTools,
  abort,
  rejectedRequests,
  brokenStreams,
  finishReasons,
  usageOfRounds,
  toolChoice,
  approvals,
  hostedApprovals,
  agents,
  reasoningEffort,
  middlewares,
  registries,
  embeddings,
  warnings,
];

globalThis.AI_SDK_LOG_WARNINGS = false;

let mcp: ToolSource;
const cells: Cell[] = [];

beforeAll(async () => {
  mcp = createMcpTools({ everything: everythingOverStdio() });
  await mcp.listTools();
});

afterAll(async () => {
  await mcp.close();
  const columns = hosts.map(({ name }) => name);
  console.log(`Tests of each scenario under each host:\n\n${toTable(cells, columns)}\n`);
});

describe.each(hosts)('$name', host => {
  const played = scenarios.filter(({ versions }) => versions?.includes(host.version) ?? true);
  describe.each(played)('$name', ({ name, modes: supported = modes, play }) => {
    it.each(supported)('%s', async mode => {
      onTestFinished(({ task }) => {
        cells.push({ row: name, column: host.name, passed: task.result?.state === 'pass' });
      });
      await play(await startScene(host, { mode, mcp }));
    });
  });
});
