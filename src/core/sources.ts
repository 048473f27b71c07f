import { idOf, isPlainObject, numberOf, objectOf, objectsOf, type PlainObject } from './shared/json.js';
import type { Citation, Source } from './part.js';

/** Returns a page as the official provider does. */
export const toUrlSource = ({
  id,
  url,
  title,
}: {
  id: string;
  url: string;
  title: string | undefined;
}): Source => ({
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
}): Source => ({
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
export function toCitedSource(annotation: PlainObject, id?: string): Source | undefined {
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
    id: id ?? fileId ?? title,
    title,
    filename,
    mediaType: type === 'file_path' ? 'application/octet-stream' : 'text/plain',
    openai: {
      type,
      ...(fileId !== undefined && { fileId }),
      ...(containerId !== undefined && { containerId }),
      ...(index !== undefined && { index }),
    },
  });
}

/**
 * Converts the annotations of a text to citations. A `file_path` refers to a file that the model wrote, so it supports no
 * text. Returns none for values of another shape.
 */
export const toCitations = (annotations: unknown): Citation[] =>
  objectsOf(annotations).flatMap(annotation => {
    const source = annotation.type === 'file_path' ? undefined : toCitedSource(annotation);
    if (source === undefined) return [];
    const { start_index: start, end_index: end } = objectOf(annotation.url_citation) ?? annotation;
    const [startIndex, endIndex] = [numberOf(start), numberOf(end)];
    return [
      {
        source,
        ...(startIndex !== undefined && { startIndex }),
        ...(endIndex !== undefined && { endIndex }),
      },
    ];
  });
