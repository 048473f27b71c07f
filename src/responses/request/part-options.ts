import type { SharedV2ProviderOptions } from '@ai-sdk/provider';

/** What this package, the official provider and their kin note on the parts of a history. */
export interface PartOptions {
  /** Id of the item on the wire. */
  readonly itemId?: string;
  /** Id of the response that the part is of, where the server keeps it. */
  readonly responseId?: string;
  readonly reasoningEncryptedContent?: string;
  readonly phase?: string;
  readonly imageDetail?: string;
  readonly promptCacheBreakpoint?: unknown;
  readonly async?: boolean;
  readonly reasoningEffortUpdate?: unknown;
}

type Namespace = SharedV2ProviderOptions[string];

/**
 * Reads the options of a message or part from `openai` and `kelivo` (which wins). A part that has neither may
 * carry the same notes under the name of another provider that speaks this API, as `azure` or `xai` do.
 */
export function readPartOptions(providerOptions: SharedV2ProviderOptions | undefined): PartOptions {
  if (providerOptions === undefined) return {};
  const { openai, kelivo } = providerOptions;
  const namespace =
    openai === undefined && kelivo === undefined
      ? Object.values(providerOptions).find(isItemNamespace)
      : { ...openai, ...kelivo };
  if (namespace === undefined) return {};
  return {
    itemId: textOf(namespace.itemId),
    responseId: textOf(namespace.responseId),
    reasoningEncryptedContent: textOf(namespace.reasoningEncryptedContent),
    phase: textOf(namespace.phase),
    imageDetail: textOf(namespace.imageDetail),
    promptCacheBreakpoint: namespace.promptCacheBreakpoint ?? undefined,
    async: typeof namespace.async === 'boolean' ? namespace.async : undefined,
    reasoningEffortUpdate: namespace.reasoningEffortUpdate ?? undefined,
  };
}

/** The field that marks a place up to which the server may cache; nothing when there is no mark. */
export function toCacheBreakpoint(breakpoint: unknown): { prompt_cache_breakpoint?: unknown } {
  return breakpoint === undefined ? {} : { prompt_cache_breakpoint: breakpoint };
}

function isItemNamespace(namespace: Namespace | undefined): namespace is Namespace {
  return (
    textOf(namespace?.itemId) !== undefined || textOf(namespace?.reasoningEncryptedContent) !== undefined
  );
}

/** An empty string is how some servers write "none". */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
