import { type Fields, renamed, withoutUndefined } from './fields.js';
import type { HostedTool } from '../wire.js';
import { toShellEnvironment } from './to-shell-environment.js';

/** The form of each hosted tool by its id: its arguments, in the names of the AI SDK, in those of the wire. */
const hostedTools: Readonly<Record<string, (args: Fields, name: string) => HostedTool>> = {
  'openai.file_search': ({ vectorStoreIds, maxNumResults, ranking, filters }) => ({
    type: 'file_search',
    vector_store_ids: vectorStoreIds,
    max_num_results: maxNumResults,
    ranking_options: renamed(ranking, { ranker: 'ranker', scoreThreshold: 'score_threshold' }),
    filters,
  }),
  'openai.local_shell': () => ({ type: 'local_shell' }),
  'openai.web_search_preview': ({ searchContextSize, userLocation }) => ({
    type: 'web_search_preview',
    search_context_size: searchContextSize,
    user_location: userLocation,
  }),
  'openai.web_search': ({ filters, externalWebAccess, searchContextSize, userLocation }) => ({
    type: 'web_search',
    filters: renamed(filters, { allowedDomains: 'allowed_domains', blockedDomains: 'blocked_domains' }),
    external_web_access: externalWebAccess,
    search_context_size: searchContextSize,
    user_location: userLocation,
  }),
  'openai.code_interpreter': ({ container }) => ({
    type: 'code_interpreter',
    container:
      typeof container === 'string'
        ? container
        : { type: 'auto', ...renamed(container, { fileIds: 'file_ids' }) },
  }),
  'openai.image_generation': args => ({
    type: 'image_generation',
    background: args.background,
    input_fidelity: args.inputFidelity,
    input_image_mask: renamed(args.inputImageMask, { fileId: 'file_id', imageUrl: 'image_url' }),
    model: args.model,
    size: args.size,
    quality: args.quality,
    moderation: args.moderation,
    output_format: args.outputFormat,
    output_compression: args.outputCompression,
  }),

  // Those below are not in the official provider of `ai@5`; the arguments are those of its later versions.
  'openai.mcp': args => ({
    type: 'mcp',
    server_label: args.serverLabel,
    server_url: args.serverUrl,
    connector_id: args.connectorId,
    server_description: args.serverDescription,
    authorization: args.authorization,
    headers: args.headers,
    allowed_tools: Array.isArray(args.allowedTools) ? args.allowedTools : toToolFilter(args.allowedTools),
    require_approval: toApprovalPolicy(args.requireApproval),
  }),
  'openai.custom': ({ description, format, async }, name) => ({
    type: 'custom',
    name,
    description,
    format,
    async,
  }),
  'openai.shell': ({ environment }) => ({ type: 'shell', environment: toShellEnvironment(environment) }),
  'openai.apply_patch': () => ({ type: 'apply_patch' }),
  'openai.computer': () => ({ type: 'computer' }),
  'openai.computer_use': ({ displayWidth, displayHeight, environment }) => ({
    type: 'computer_use_preview',
    display_width: displayWidth,
    display_height: displayHeight,
    environment,
  }),
};

/**
 * The request's form of a provider-defined tool; `undefined` when the API has no tool of that id. `name` is what
 * the tool is called on the wire, if it is one that the host names.
 */
export function toHostedTool({
  id,
  name,
  args,
}: {
  id: string;
  name: string;
  args?: Fields;
}): HostedTool | undefined {
  const toWire = Object.hasOwn(hostedTools, id) ? hostedTools[id] : undefined;
  return toWire && withoutUndefined(toWire(args ?? {}, name));
}

const toToolFilter = (filter: unknown): Fields | undefined =>
  renamed(filter, { readOnly: 'read_only', toolNames: 'tool_names' });

/** The official provider says `never` where nothing is said; the API's own default is `always`. */
function toApprovalPolicy(policy: unknown): unknown {
  if (policy === undefined || policy === null) return 'never';
  if (typeof policy === 'string') return policy;
  const { always, never } = renamed(policy, { always: 'always', never: 'never' }) ?? {};
  return withoutUndefined({ always: toToolFilter(always), never: toToolFilter(never) });
}
