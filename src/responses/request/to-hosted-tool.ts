import type { HostedTool } from './request-body.js';

type Arguments = Readonly<Record<string, unknown>>;

/** The hosted tools the stock provider declares, by id, with its arguments in the wire's names. */
const hostedTools: Readonly<Record<string, (args: Arguments) => HostedTool>> = {
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
};

/** The request's form of a provider-defined tool; `undefined` when the API has no tool of that id. */
export function toHostedTool({ id, args }: { id: string; args?: Arguments }): HostedTool | undefined {
  const toWire = Object.hasOwn(hostedTools, id) ? hostedTools[id] : undefined;
  return toWire && withoutUndefined(toWire(args ?? {}));
}

function renamed(
  value: unknown,
  names: Readonly<Record<string, string>>,
): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  return withoutUndefined(Object.fromEntries(Object.entries(names).map(([from, to]) => [to, fields[from]])));
}

function withoutUndefined<VALUE extends object>(value: VALUE): VALUE {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as VALUE;
}
