/** What models are called that share a family's name but do not hold conversations. */
const notConversational =
  /(?:^|[^a-z])(?:embed|embeddings?|rerank|reranker|moderation|guard|ocr|tts|asr)(?![a-z])/;

/**
 * A test for model ids that name one of `families` as a word: `qwen` is in `qwen/qwen3-coder:free`, in
 * `bartowski/Qwen2.5-7B-Instruct-GGUF` and in `qwen.qwen3-32b-v1:0`, but not in `qwentessential` nor in
 * `qwen-friends/gpt-4`: who serves a model says nothing about it. Models that only embed, rank or moderate do not count,
 * nor does what a model was distilled into: `deepseek-r1-distill-qwen-32b` writes as DeepSeek does.
 *
 * @param families Names, or parts of regular expressions, without regard to case.
 */
export function matchModelName(...families: readonly string[]): (modelId: string) => boolean {
  const family = new RegExp(`(?:^|[^a-z])(?:${families.join('|')})(?![a-z])`);
  return modelId => {
    const name = toModelName(modelId);
    return family.test(name) && !notConversational.test(name);
  };
}

/** The last segment of a path, up to what the model is based on. */
function toModelName(modelId: string): string {
  const [name = ''] = modelId
    .toLowerCase()
    .split(/[/\\]/)
    .filter(segment => segment !== '')
    .slice(-1);
  return name.replace(/[-_. ]distill(?:ed)?[-_. ].*/, '');
}
