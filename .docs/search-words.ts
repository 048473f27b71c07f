/**
 * Words that users search for and that the text of a section does not contain, or not often enough: names of other packages,
 * symptoms, synonyms. They are part of the search index only. Keys are sections of documents, or documents.
 */
export const SEARCH_WORDS: Readonly<Record<string, string>> = {
  'README.md#start': 'getting started quickstart setup hello world npm install first call clone archive',
  'src/getting-started.md':
    'getting started quickstart introduction tutorial first steps setup how to begin hello world walkthrough agent',
  'README.md#install': 'setup requirements zod 3 zod 4 peer dependency node version npm pnpm yarn bun deno',
  'src/getting-started.md#majors-of-ai':
    'which ai version upgrade ai 5 ai 6 ai 7 unsupported model version v2 v3 v4',
  'README.md#servers': 'which servers providers LM Studio ollama llama.cpp vllm openrouter local model',
  'src/how-to.md#find-out-why-a-call-failed':
    'why did my call fail failed error message debug requests inspect trace what happened',
  'src/provider/README.md#keys':
    'several api keys rotate key rotation two accounts multiple accounts organization project authorization header',
  'src/provider/README.md#compatible-servers':
    'LM Studio ollama llama.cpp vllm sglang openrouter local model self-hosted server base url baseURL',
  'src/provider/README.md#options-per-call':
    'provider options reasoning effort show reasoning summary thinking header per request custom headers prompt cache key ' +
    'keep the prompt cache disable store structured output schema with tools',
  'src/provider/pages/responses.md#compaction':
    'compact context window exceeded too long conversation summarize history',
  'src/provider/pages/responses.md#hosted-tools':
    'image generation web search code interpreter file search computer use',
  'src/provider/README.md#logging': 'log http requests debug requests inspect wire request body verbose',
  'src/provider/pages/environments.md#proxies-and-certificates':
    'corporate proxy https_proxy self signed certificate tls ca custom fetch agent',
  'src/provider/pages/environments.md#browsers-tauri-and-capacitor':
    'run in the browser frontend client side cors without a server electron renderer',
  'src/provider/pages/troubleshooting.md':
    'error message 400 401 404 429 model does not exist model_not_found rate limit reasoning without its required following item item not found',
  'src/tool-loop/README.md#following-a-turn':
    'tool progress in the ui show progress events onEvent stream reasoning loading status',
  'src/tool-loop/pages/limits.md':
    'maxSteps stepCountIs stopWhen stop after n tool calls infinite loop endless repeated duplicate tool calls maximum rounds ' +
    'slow tool timeout',
  'src/tool-loop/pages/limits.md#costs-and-budgets':
    'cost per user price budget spend limit token usage billing money',
  'src/tool-loop/pages/large-requests.md#large-toolboxes':
    'too many tools tool search defer loading hundreds of tools',
  'src/tool-loop/pages/large-requests.md#long-conversations':
    'context window exceeded context length too long conversation history trim prompt cache',
  'src/models/README.md#several-models':
    'fallback model failover backup switch models in a conversation rate limit overload',
  'src/tool-loop/pages/failures.md#broken-responses':
    'tool called twice duplicate text truncated stream retry connection lost cut',
  'src/tool-loop/pages/between-rounds.md': 'prepareStep change tools between steps',
  'src/tool-loop/pages/between-rounds.md#messages-that-arrive-during-a-turn':
    'send message while running steering interrupt',
  'src/tool-loop/pages/approvals.md':
    'human in the loop confirm ask before running a tool permission approve once for the session always allow dangerous',
  'src/tool-loop/pages/approvals.md#approvals-by-the-host':
    'useChat approvals human in the loop confirm needsApproval tool-approval-request',
  'src/tool-loop/pages/chats.md': 'persist conversation save messages to database load chat history restore',
  'src/tool-loop/pages/tools-of-a-call.md': 'limit tools per user different tools per request multi-tenant',
  'src/tool-loop/pages/failures.md#turns-that-survive-a-crash': 'crash recovery durable restart resume',
  'src/tool-loop/durable/README.md':
    'durable execution crash recovery exactly once tool called twice sqlite redis postgres',
  'src/tool-loop/durable/README.md#guarantees':
    'tool called twice duplicate tool calls at most once exactly once',
  'src/tools/mcp/README.md': 'model context protocol client servers stdio streamable http sse',
  'src/tools/mcp/pages/servers.md#starting-failing-and-closing':
    'mcp server not starting restart timeout idle connection',
  'src/tools/mcp/pages/servers.md#sessions-of-serverless-hosts': 'mcp in serverless functions lambda',
  'src/tools/mcp/pages/calls.md#calls-and-their-results':
    'images from tools image results of tools audio tool result images',
  'src/tools/mcp/pages/signing-in.md': 'oauth mcp authorization login bearer token client credentials 401',
  'src/adapters/README.md#tool-calls-written-as-text':
    'model prints tool call json as text qwen hermes xml tool_call tags not executed',
  'src/adapters/pages/families.md#mistral':
    'mistral tool call id length nine characters invalid tool call id',
  'src/host/README.md#switching-to-the-official-provider': 'feature flag rollback emergency turn off disable',
  'src/host/pages/registry.md#swapping-providers':
    'switch models in a conversation change provider anthropic google openai mid-conversation',
  'src/telemetry/README.md': 'opentelemetry langfuse tracing observability spans metrics',
  'src/telemetry/README.md#usage-and-costs-per-round': 'token usage cost tokens per step',
  'src/testing/README.md#testing-an-application':
    'test without api key mock openai in unit tests fake server vitest jest offline emulator',
  'src/core/redaction/README.md':
    'hide api keys in logs hide secrets mask keys remove passwords from logs personal data pii',
  'src/models/embeddings/README.md': 'embedding dimensions vector size text-embedding-3 rag index',
  'playground/examples/README.md#agents-of-ai': 'sub agent subagents agent as a tool nested agents',
  'playground/examples/README.md#nextjs-with-usechat': 'nextjs next react usechat app router',
  'playground/README.md': 'inspect debug requests user interface devtools compare models',
};
