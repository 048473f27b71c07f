/** Decorations that models and servers add to tool names, with their origin. */
const decorations: readonly RegExp[] = [
  // gpt-oss: the channel of its chat format, such as `get_weather<|channel|>commentary`
  // (https://github.com/vllm-project/vllm/pull/35906).
  /<\|.*$/s,
  // gpt-oss and Kimi K2: the namespace in which they see their tools.
  /^functions\./,
  // Kimi K2: the id of the call instead of the name, such as `functions.get_weather:0`.
  /:\d+$/,
  // Gemini: the module of its tools, such as `default_api.get_weather` and `default_api:get_weather`.
  /^default_api[.:]/,
];

/**
 * Returns the declared tool that a model means by a name.
 *
 * A declared name is used unchanged, because a tool can be called `functions.list`. Decorations are removed only from
 * other names, and only if a declared name remains. Names are case-sensitive.
 *
 * @returns undefined if the name matches no declared tool.
 */
export function normalizeToolName(name: string, declared: ReadonlySet<string>): string | undefined {
  if (declared.has(name)) return name;
  let bare = name.trim();
  for (const decoration of decorations) {
    if (declared.has(bare)) return bare;
    bare = bare.replace(decoration, '').trim();
  }
  return declared.has(bare) ? bare : undefined;
}
