/** Decorations that models and servers add to tool names, with their origin. */
const decorations: readonly RegExp[] = [
  // gpt-oss: the channel of its chat format, such as `get_weather<|channel|>commentary`
  // (https://github.com/vllm-project/vllm/pull/35906).
  /<\|.*$/s,
  // gpt-oss and Kimi K2: the namespace in which they see their tools.
  /^functions\./,
  // Kimi K2: the id of the call instead of the name, such as `functions.get_weather:0`, also with a dot.
  /[:.]\d+$/,
  // Gemini: the module of its tools, such as `default_api.get_weather` and `default_api:get_weather`.
  /^default_api[.:]/,
  // The name as a call of a function, such as `get_weather()`.
  /\(\)$/,
];

/**
 * Returns the declared tool that a model means by a name.
 *
 * - A declared name is used unchanged, because a tool can be called `functions.list`.
 * - Otherwise white space around the name and decorations are removed if a declared name remains. They occur with every
 *   model, which may copy them from calls that another model made earlier in the conversation.
 * - Otherwise the parts of an id of Kimi may be glued to the name, as in `functionslist_directory6`, if exactly one declared
 *   name fits.
 * - Otherwise the name may differ in case and white space from exactly one declared name. Hyphens and underscores count: a
 *   name with others is another tool, such as `__proto__` and `proto`.
 * - Otherwise the declared tail counts: segments before `.`, `/`, `:` and `__` are dropped if exactly one declared name
 *   remains, whatever their words are. `tools.get_weather` and `mcp__srv__get_weather` mean `get_weather`.
 *
 * @returns undefined if the name matches no declared tool, or several.
 */
export function normalizeToolName(name: string, declared: ReadonlySet<string>): string | undefined {
  if (declared.has(name)) return name;
  const spellings = undecorate(name);
  const exact = spellings.find(spelling => declared.has(spelling));
  if (exact !== undefined) return exact;
  const glued = gluedNames(name, declared);
  if (glued.length > 0) return glued.length === 1 ? glued[0] : undefined;
  for (const spelling of spellings) {
    const similar = [...declared].filter(known => fold(known) === fold(spelling));
    if (similar.length > 0) return similar.length === 1 ? similar[0] : undefined;
  }
  const tails = new Set(spellings.flatMap(tailsOf).filter(tail => declared.has(tail)));
  const [tail, ...others] = tails;
  return others.length === 0 ? tail : undefined;
}

/** Returns the rests of a name after each of its separators. */
const tailsOf = (name: string): string[] =>
  [...name.matchAll(/__|[./:]/g)].map(({ 0: separator, index }) => name.slice(index + separator.length));

/**
 * Returns the declared name that another name decorates: `functions.x` means `x` if there is an `x`. Undefined if there is
 * none. A server that calls its tool so would otherwise receive the calls of the other tool.
 */
export function decoratedName(name: string, declared: ReadonlySet<string>): string | undefined {
  const bare = undecorate(name).findLast(spelling => spelling !== name && declared.has(spelling));
  if (bare !== undefined) return bare;
  const [glued, ...others] = gluedNames(name, declared).filter(known => known !== name);
  return others.length === 0 ? glued : undefined;
}

/** Returns the declared names that fit an id of Kimi without its punctuation. */
function gluedNames(name: string, declared: ReadonlySet<string>): string[] {
  const [, glued] = /^(?:call_)?functions[.:]?(.+)$/s.exec(name.trim()) ?? [];
  if (glued === undefined) return [];
  return [...declared].filter(
    tool => glued.startsWith(tool) && /^(?:[:.]?\d+)?$/.test(glued.slice(tool.length)),
  );
}

/** Returns a name without the decorations that models and servers add. */
export const undecorateToolName = (name: string): string => undecorate(name).at(-1) ?? name;

/** Returns the name without white space around it, then without one decoration after the other. */
function undecorate(name: string): string[] {
  let bare = name.trim();
  return [bare, ...decorations.map(decoration => (bare = bare.replace(decoration, '').trim()))];
}

const fold = (name: string): string => name.toLowerCase().replace(/\s/g, '');
