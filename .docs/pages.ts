import { readFileSync } from 'node:fs';
import { toAnchor } from '../test/docs/_markdown.js';

/** A page of the site. Its text is a document of the repository, or one section of it. */
export interface Page {
  /** The address below the root of the site, without an extension. */
  readonly path: string;
  /** The Markdown file, relative to the root of the repository. */
  readonly source: string;
  /** The level-two heading of the section that is moved from the page of the document to this page. */
  readonly section?: string;
  /** The text of links to the page. @default its first heading */
  readonly title?: string;
}

export interface Group {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** The document that becomes one page for each of its sections. */
export const REFERENCE = 'src/REFERENCE.md';

export const GROUPS: readonly Group[] = [
  {
    title: 'Start',
    pages: [
      { path: 'index', source: 'README.md', title: 'Overview' },
      { path: 'getting-started', source: 'src/getting-started.md' },
      { path: 'trust', source: 'src/trust.md' },
      { path: 'troubleshooting', source: 'src/provider/pages/troubleshooting.md' },
    ],
  },
  {
    title: 'How to',
    pages: [{ path: 'how-to/index', source: 'src/how-to.md', title: 'All goals' }, ...pagesOfGoals()],
  },
  {
    title: 'Coming from',
    pages: [
      { path: 'coming-from/index', source: 'src/coming-from.md', title: 'Overview' },
      {
        path: 'coming-from/openai',
        source: 'src/coming-from.md',
        section: 'From the official provider',
        title: 'The official provider',
      },
      {
        path: 'coming-from/open-responses',
        source: 'src/coming-from.md',
        section: 'From Open Responses',
        title: 'Open Responses',
      },
      {
        path: 'coming-from/mcp',
        source: 'src/coming-from.md',
        section: 'From an MCP client',
        title: 'An MCP client',
      },
      {
        path: 'coming-from/chat-completions',
        source: 'src/coming-from.md',
        section: 'From Chat Completions',
        title: 'Chat Completions',
      },
      {
        path: 'coming-from/registry',
        source: 'src/coming-from.md',
        section: 'From a plugin registry',
        title: 'A plugin registry',
      },
    ],
  },
  {
    title: 'Guides',
    pages: [
      { path: 'provider', source: 'src/provider/README.md' },
      { path: 'tools', source: 'src/tools/README.md' },
      { path: 'tool-loop', source: 'src/tool-loop/README.md' },
      { path: 'mcp', source: 'src/tools/mcp/README.md' },
      { path: 'adapters', source: 'src/adapters/README.md' },
      { path: 'models', source: 'src/models/README.md' },
      { path: 'tool-calls', source: 'src/core/tool-calls/README.md' },
      { path: 'journal', source: 'src/tool-loop/durable/README.md' },
      { path: 'embeddings', source: 'src/models/embeddings/README.md' },
      { path: 'telemetry', source: 'src/telemetry/README.md' },
      { path: 'testing', source: 'src/testing/README.md' },
      { path: 'redaction', source: 'src/core/redaction/README.md' },
    ],
  },
  {
    title: 'Tool loop',
    pages: [
      { path: 'tool-loop/approvals', source: 'src/tool-loop/pages/approvals.md' },
      { path: 'tool-loop/chats', source: 'src/tool-loop/pages/chats.md' },
      { path: 'tool-loop/limits', source: 'src/tool-loop/pages/limits.md' },
      { path: 'tool-loop/failures', source: 'src/tool-loop/pages/failures.md' },
      { path: 'tool-loop/large-requests', source: 'src/tool-loop/pages/large-requests.md' },
      { path: 'tool-loop/between-rounds', source: 'src/tool-loop/pages/between-rounds.md' },
      { path: 'tool-loop/rounds-as-steps', source: 'src/tool-loop/pages/rounds-as-steps.md' },
      { path: 'tool-loop/calls', source: 'src/tool-loop/pages/calls.md' },
      { path: 'tool-loop/tools-of-a-call', source: 'src/tool-loop/pages/tools-of-a-call.md' },
      { path: 'tool-loop/features', source: 'src/tool-loop/pages/features.md' },
      { path: 'journal/stores', source: 'src/tool-loop/durable/pages/stores.md' },
      { path: 'journal/workflow-engines', source: 'src/tool-loop/durable/pages/workflow-engines.md' },
    ],
  },
  {
    title: 'MCP',
    pages: [
      { path: 'mcp/servers', source: 'src/tools/mcp/pages/servers.md' },
      { path: 'mcp/calls', source: 'src/tools/mcp/pages/calls.md' },
      { path: 'mcp/signing-in', source: 'src/tools/mcp/pages/signing-in.md' },
      { path: 'mcp/resources-and-prompts', source: 'src/tools/mcp/pages/resources-and-prompts.md' },
      { path: 'mcp/host-loop', source: 'src/tools/mcp/pages/host-loop.md' },
      { path: 'mcp/sdk-corrections', source: 'src/tools/mcp/pages/sdk-corrections.md' },
    ],
  },
  {
    title: 'Provider and adapters',
    pages: [
      { path: 'provider/responses', source: 'src/provider/pages/responses.md' },
      { path: 'provider/environments', source: 'src/provider/pages/environments.md' },
      { path: 'adapters/families', source: 'src/adapters/pages/families.md' },
      { path: 'adapters/adding-a-family', source: 'src/adapters/pages/adding-a-family.md' },
    ],
  },
  {
    title: 'Hosts',
    pages: [
      { path: 'chat-with-a-flag', source: 'src/host/pages/chat-with-a-flag.md' },
      { path: 'agents-and-adapters', source: 'src/host/pages/agents-and-adapters.md' },
      { path: 'raw-streams', source: 'src/host/pages/raw-streams.md' },
      { path: 'stored-conversations', source: 'src/host/pages/stored-conversations.md' },
      { path: 'mcp-servers', source: 'src/host/pages/mcp-servers.md' },
      { path: 'host', source: 'src/host/README.md' },
      { path: 'registry', source: 'src/host/pages/registry.md' },
      { path: 'provider-schemas', source: 'src/host/pages/provider-schemas.md' },
      { path: 'examples', source: 'playground/examples/README.md' },
      { path: 'recipes/resumable-chat', source: 'playground/recipes/resumable-chat/README.md' },
      { path: 'recipes/page-dialogs', source: 'playground/recipes/page-dialogs/README.md' },
      { path: 'recipes/dbos', source: 'playground/recipes/dbos/README.md' },
      { path: 'recipes/restate', source: 'playground/recipes/restate/README.md' },
      { path: 'playground', source: 'playground/README.md' },
    ],
  },
  {
    title: 'Project',
    pages: [
      { path: 'comparison', source: 'test/differential/README.md' },
      { path: 'mistakes', source: 'test/differential/mistakes.md' },
      { path: 'benchmarks', source: 'test/bench/README.md' },
      { path: 'architecture', source: 'src/README.md' },
      { path: 'core', source: 'src/core/README.md' },
      { path: 'responses', source: 'src/responses/README.md' },
      { path: 'decisions', source: 'src/decisions.md' },
      { path: 'contributing', source: 'CONTRIBUTING.md' },
      { path: 'changelog', source: 'CHANGELOG.md', title: 'Changes' },
      { path: 'security', source: 'SECURITY.md' },
    ],
  },
];

/** Questions that readers come with, in the navigation of every page: the text of the link, and the section. */
export const TASKS: readonly (readonly [text: string, section: string])[] = [
  ['Use vLLM and other servers', 'src/provider/README.md#compatible-servers'],
  ['Sign in to MCP servers with OAuth', 'src/tools/mcp/pages/signing-in.md'],
  ['Store and resume a chat', 'src/tool-loop/pages/chats.md'],
  ['Compute and limit costs', 'src/tool-loop/pages/limits.md#costs-and-budgets'],
  ['Test an application with the emulator', 'src/testing/README.md#testing-an-application'],
  ['Add a model family', 'src/adapters/pages/adding-a-family.md'],
];

/** Each section of the goals is a page, whose address is that of its heading. */
function pagesOfGoals(): Page[] {
  const source = 'src/how-to.md';
  const headings = readFileSync(new URL(`../${source}`, import.meta.url), 'utf8').matchAll(/^## (.+)$/gm);
  return [...headings].map(([, title = '']) => ({
    path: `how-to/${toAnchor(title)}`,
    source,
    section: title,
    title,
  }));
}
