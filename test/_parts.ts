import type { LanguageModelV2Content, LanguageModelV2StreamPart } from '@ai-sdk/provider';

type Finish = Extract<LanguageModelV2StreamPart, { type: 'finish' }>;
type BlockKind = 'text' | 'reasoning' | 'tool-input';

/** The content of a stream of parts, in a format that is easy to compare. */
export interface Summary {
  readonly texts: string[];
  readonly reasoning: string[];
  readonly calls: { id: string; name: string; input: string }[];
  readonly sources: string[];
  readonly errors: unknown[];
  readonly finishReason: Finish['finishReason'] | undefined;
  readonly usage: Finish['usage'] | undefined;
}

/** Summarizes parts. Throws if they break a rule that hosts rely on. */
export function summarize(parts: readonly LanguageModelV2StreamPart[]): Summary {
  checkParts(parts);
  const blocks = new Map<string, string>();
  const of = <Type extends LanguageModelV2StreamPart['type']>(type: Type) =>
    parts.filter((part): part is Extract<LanguageModelV2StreamPart, { type: Type }> => part.type === type);
  for (const part of parts) {
    if (part.type === 'text-start' || part.type === 'reasoning-start')
      blocks.set(`${part.type} ${part.id}`, '');
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
      const key = `${part.type.replace('delta', 'start')} ${part.id}`;
      blocks.set(key, `${blocks.get(key)}${part.delta}`);
    }
  }
  const textsOf = (type: string) =>
    [...blocks].filter(([key]) => key.startsWith(type)).map(([, text]) => text);
  const finish = of('finish')[0];
  return {
    texts: textsOf('text-start'),
    reasoning: textsOf('reasoning-start'),
    calls: of('tool-call').map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      name: toolName,
      input,
    })),
    sources: of('source').map(source => (source.sourceType === 'url' ? source.url : source.title)),
    errors: of('error').map(({ error }) => error),
    finishReason: finish?.finishReason,
    usage: finish?.usage,
  };
}

/** Summarizes a result that was not streamed. */
export const summarizeContent = (content: readonly LanguageModelV2Content[]) => ({
  texts: content.filter(part => part.type === 'text').map(part => part.text),
  reasoning: content.filter(part => part.type === 'reasoning').map(part => part.text),
  calls: content
    .filter(part => part.type === 'tool-call')
    .map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, input })),
  sources: content
    .filter(part => part.type === 'source')
    .map(source => (source.sourceType === 'url' ? source.url : source.title)),
});

/** Throws unless blocks are balanced, ids unique, at most one error occurs, and one `finish` is the last part. */
export function checkParts(parts: readonly LanguageModelV2StreamPart[]): void {
  const open = new Set<string>();
  const used = new Set<string>();
  const claim = (name: string) => {
    if (used.has(name)) throw new Error(`Expected "${name}" once, got it twice.`);
    used.add(name);
  };
  for (const part of parts) {
    const match = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(part.type);
    if (match !== null && 'id' in part) {
      const [, kind, step] = match as unknown as [string, BlockKind, 'start' | 'delta' | 'end'];
      const key = `${kind} ${part.id}`;
      if (step === 'start') {
        claim(key);
        open.add(key);
      } else if (!open.has(key)) {
        throw new Error(`Expected an open block for ${part.type} of "${part.id}", got none.`);
      } else if (step === 'end') {
        open.delete(key);
      }
    }
    if (part.type === 'tool-call') claim(`tool-call ${part.toolCallId}`);
    if (part.type === 'error') claim('error');
    if (part.type === 'stream-start') claim('stream-start');
  }
  if (open.size > 0) throw new Error(`Expected all blocks to end, got open ones: ${[...open].join(', ')}.`);
  const finishes = parts.filter(part => part.type === 'finish').length;
  if (finishes !== 1) throw new Error(`Expected one finish part, got ${finishes}.`);
  if (parts.at(-1)?.type !== 'finish') throw new Error('Expected the finish part last, got parts after it.');
}

/** Reads all parts of a stream. */
export async function collect<Part>(stream: ReadableStream<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
