import * as ai from 'ai7';
import { expect, onTestFinished } from 'vitest';
import { createIndex } from '../../src/tool-loop/features/tool-search/search-tool.js';
import type { ToolDefinition } from '../../src/tools/tool-source.js';
import { createKelivoResponsesProvider } from '../../src/v4.js';
import { startEmulator } from '../testing/_emulator.js';
import { sourceOfTools } from '../tool-loop/context/_toolbox.js';

/** Tasks in the words of users, and a tool that does each. */
const TASKS: readonly (readonly [query: string, tool: string])[] = [
  ['open a pull request', 'create_pull_request'],
  ['merge request in GitLab', 'create_merge_request'],
  ['search code in repositories', 'search_code'],
  ['fork a repository', 'fork_repository'],
  ['post a message to a Slack channel', 'slack_post_message'],
  ['reply in a thread', 'slack_reply_to_thread'],
  ['take a screenshot of the page', 'browser_take_screenshot'],
  ['click a button in the browser', 'browser_click'],
  ['geocode an address', 'maps_geocode'],
  ['directions between two places', 'maps_directions'],
  ['elevation of a location', 'maps_elevation'],
  ['read a text file', 'read_text_file'],
  ['rename a file', 'move_file'],
  ['list records of a table', 'list_records'],
  ['scrape a web page', 'firecrawl_scrape'],
  ['pie chart', 'generate_pie_chart'],
  ['draw a flow diagram', 'generate_flow_diagram'],
  ['run an SQL query', 'query'],
  ['add a comment to a Notion page', 'API-create-a-comment'],
  ['remember facts about a person', 'create_entities'],
];

/** Returns the tasks whose tool is not among the first five results, with these. */
export function missedTasks(tools: readonly ToolDefinition[]) {
  const find = createIndex(tools);
  const missed = TASKS.flatMap(([query, wanted]) => {
    const found = find(query).slice(0, 5);
    return found.some(({ originalName }) => originalName === wanted)
      ? []
      : [`${query}: ${found.map(({ name }) => name).join(', ')} instead of ${wanted}`];
  });
  return { missed, count: TASKS.length };
}

/** Does a task with all tools, and returns a row of the table. */
export async function measureSearch(
  definitions: readonly ToolDefinition[],
  toolSearch: 'client' | 'server' | false,
): Promise<string> {
  // The API rejects more than 128 tools that are not deferred.
  const emulator = await startEmulator({ rules: toolSearch === false ? 'none' : 'openai' });
  const tools = sourceOfTools(definitions.map(tool => ({ ...tool, deferLoading: true })));
  const tokens: number[] = [];
  const provider = createKelivoResponsesProvider({
    ...{ apiKey: 'sk-test', baseURL: emulator.baseURL, tools },
    toolLoop: {
      toolSearch,
      onEvent: event => void (event.type === 'round-end' && tokens.push(event.usage.inputTokens ?? 0)),
    },
  });
  onTestFinished(async () => {
    await provider.close();
    await emulator.close();
  });
  if (toolSearch === 'client') {
    emulator.enqueue(
      [{ call: 'search_tools', arguments: { query: 'list Slack channels' } }],
      [{ call: 'slack_list_channels', arguments: {} }],
    );
  }
  await ai.generateText({
    model: provider('gpt-5.4'),
    prompt: 'Call slack_list_channels, one after another.',
  });
  expect(tools.calls).toEqual(['slack_list_channels']);

  const bodies = emulator.requests.map(({ body }) => body as { tools: Record<string, unknown>[] });
  const kilobytes = bodies.map(body => Buffer.byteLength(JSON.stringify(body.tools)) / 1000);
  for (const [index, { tools }] of bodies.slice(1).entries()) {
    const before = JSON.stringify(bodies[index]?.tools).slice(0, -1);
    expect(JSON.stringify(tools).slice(0, before.length), 'the prefix of the prompt').toBe(before);
  }
  const by = { client: 'the tool loop', server: 'the API' };
  return [
    '',
    ...[toolSearch === false ? 'nobody' : by[toolSearch], String(bodies.length)],
    ...[kilobytes.map(size => size.toFixed(1)).join(', '), tokens.join(', ')],
    '',
  ]
    .join(' | ')
    .trim();
}
