import type { LanguageModelV2CallOptions, SharedV2ProviderOptions } from '@ai-sdk/provider';
import { objectOf } from '../shared/json.js';

/** Namespaces that may contain the option `allowedTools`. */
const NAMESPACES = ['kelivo', 'openai', 'azure'] as const;

/**
 * Returns the names of the tools to which a call is restricted (`providerOptions.openai.allowedTools`). Undefined without
 * a restriction. Servers other than OpenAI's may ignore it, so the loop applies it, too. The loop does not know which
 * namespace its model reads: if several contain the option, a tool has to be allowed by all of them.
 */
export function allowedNamesOf(
  providerOptions: SharedV2ProviderOptions | undefined,
): readonly string[] | undefined {
  const lists = NAMESPACES.map(
    namespace => objectOf(providerOptions?.[namespace]?.allowedTools)?.toolNames,
  ).filter(Array.isArray);
  return lists.length === 0
    ? undefined
    : lists[0]?.map(String).filter(name => lists.every(names => names.map(String).includes(name)));
}

/** Changes the names of the tools to which a call is restricted. */
export function renameAllowedTools(
  options: Omit<LanguageModelV2CallOptions, 'tools' | 'toolChoice'>,
  rename: (name: string) => string,
): Omit<LanguageModelV2CallOptions, 'tools' | 'toolChoice'> {
  const { providerOptions } = options;
  if (allowedNamesOf(providerOptions) === undefined) return options;
  const renamed = Object.entries(providerOptions ?? {}).map(([namespace, values]) => {
    const allowedTools = NAMESPACES.some(known => known === namespace)
      ? objectOf(values.allowedTools)
      : undefined;
    if (!Array.isArray(allowedTools?.toolNames)) return [namespace, values];
    const toolNames = allowedTools.toolNames.map(name => rename(String(name)));
    return [namespace, { ...values, allowedTools: { ...allowedTools, toolNames } }];
  });
  return { ...options, providerOptions: Object.fromEntries(renamed) };
}
