import type { LanguageModelV2Source } from '@ai-sdk/provider';
import { idOf, isPlainObject, numberOf, type PlainObject } from '../shared/json.js';

/** Returns a page as the official provider does. */
export const toUrlSource = ({
  id,
  url,
  title,
}: {
  id: string;
  url: string;
  title: string | undefined;
}): LanguageModelV2Source => ({
  type: 'source',
  sourceType: 'url',
  id,
  url,
  ...(title !== undefined && { title }),
});

/** The metadata of a document, of the namespace `openai`. */
export interface DocumentMetadata {
  readonly type: string;
  readonly fileId?: string;
  readonly containerId?: string;
  readonly index?: number;
}

/** Returns a file as the official provider does. */
export const toDocumentSource = ({
  id,
  title,
  filename,
  mediaType = 'text/plain',
  openai,
}: {
  id: string;
  title: string;
  filename: string | undefined;
  mediaType?: string;
  openai: DocumentMetadata;
}): LanguageModelV2Source => ({
  type: 'source',
  sourceType: 'document',
  id,
  mediaType,
  title,
  filename,
  providerMetadata: { openai: { ...openai } },
});

/**
 * Returns the source that an annotation of a text cites. Undefined for values of another shape.
 *
 * @param id The id of the source. @default the address of the page, or the id of the file
 */
export function toCitedSource(annotation: PlainObject, id?: string): LanguageModelV2Source | undefined {
  const { type } = annotation;
  // Chat-style servers nest the citation in a field named after its type.
  const fields = isPlainObject(annotation.url_citation) ? annotation.url_citation : annotation;
  if (type === 'url_citation') {
    const url = idOf(fields.url);
    return url === undefined ? undefined : toUrlSource({ id: id ?? url, url, title: idOf(fields.title) });
  }
  if (type !== 'file_citation' && type !== 'container_file_citation' && type !== 'file_path')
    return undefined;
  const fileId = idOf(fields.file_id);
  const filename = idOf(fields.filename) ?? fileId;
  const title = idOf(fields.filename) ?? idOf(fields.quote) ?? fileId;
  if (title === undefined) return undefined;
  const [containerId, index] = [idOf(fields.container_id), numberOf(fields.index)];
  return toDocumentSource({
    ...{ id: id ?? fileId ?? title, title, filename },
    mediaType: type === 'file_path' ? 'application/octet-stream' : 'text/plain',
    openai: {
      type,
      ...(fileId !== undefined && { fileId }),
      ...(containerId !== undefined && { containerId }),
      ...(index !== undefined && { index }),
    },
  });
}
