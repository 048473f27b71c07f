/** What models and servers put around a tool's name. Each row says where it was seen. */
const decorations: readonly RegExp[] = [
  // gpt-oss: the channel of its chat format, as in `get_weather<|channel|>commentary`
  // (https://github.com/vllm-project/vllm/pull/35906).
  /<\|.*$/s,
  // The namespace that gpt-oss and Kimi K2 are shown their tools in.
  /^functions\./,
  // Kimi K2: the id of a call in place of its name, `functions.get_weather:0`.
  /:\d+$/,
  // Gemini: the module that its tools are written in, as in `default_api.get_weather` and `default_api:get_weather`.
  /^default_api[.:]/,
];

/**
 * The declared tool that a model means by a name.
 *
 * A name that is declared is taken as it is. Of any other, what models put around names is removed, and it counts only
 * if a declared name is left: a tool may well be called `functions.list`. Upper and lower case are different.
 *
 * @returns undefined if no declared tool is meant.
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
