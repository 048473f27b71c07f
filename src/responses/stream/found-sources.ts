import type { LanguageModelV2Source, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { toDocumentSource, toUrlSource } from '../../parts/sources.js';
import { idOf } from '../../shared/json.js';
import type { FoundSource } from '../hosted-tools/hosted-tool.js';

/**
 * The pages and files that the tools of one response have found. The text cites some of them, with a title. The others
 * become sources at the end, so that no page and no file is a source twice.
 */
export interface FoundSources {
  add(sources: readonly FoundSource[]): void;
  /** Records a source that the text cites. */
  cite(source: LanguageModelV2Source): void;
  /** Writes the sources that the text does not cite. */
  write(write: (part: LanguageModelV2StreamPart) => void): void;
}

export function createFoundSources(): FoundSources {
  const found = new Map<string, FoundSource>();
  const cited = new Set<string>();
  return {
    add(sources) {
      for (const source of sources) {
        const key = 'url' in source ? toUrlKey(source.url) : source.fileId;
        if (!found.has(key)) found.set(key, source);
      }
    },
    cite(source) {
      const fileId = idOf(source.providerMetadata?.openai?.fileId);
      cited.add(source.sourceType === 'url' ? toUrlKey(source.url) : (fileId ?? ''));
    },
    write(write) {
      const uncited = [...found].filter(([key]) => !cited.has(key));
      for (const [index, [, source]] of uncited.entries()) write(toPart(source, `found-source-${index}`));
      found.clear();
    },
  };
}

/** OpenAI marks the addresses of citations, but not those of search results. */
const toUrlKey = (url: string): string => url.replace(/[?&]utm_source=openai(?=&|#|$)/, '');

const toPart = (source: FoundSource, id: string): LanguageModelV2Source =>
  'url' in source
    ? toUrlSource({ id, url: source.url, title: source.title })
    : toDocumentSource({
        ...{ id, title: source.filename, filename: source.filename },
        openai: { type: 'file_search', fileId: source.fileId },
      });
