import type { SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { idOf, numberOf, objectsOf, type PlainObject } from '../shared/json.js';
import type { LanguageModelV4Citation } from './specification.js';

/**
 * Converts the annotations of a text to citations. A `file_path` refers to a file that the model wrote, so it supports no
 * text. Returns none for values of another shape.
 */
export const toCitations = (annotations: unknown): LanguageModelV4Citation[] =>
  objectsOf(annotations).flatMap(annotation => {
    const source = toSource(annotation);
    if (source === undefined) return [];
    const startIndex = numberOf(annotation.start_index);
    const endIndex = numberOf(annotation.end_index);
    return [
      {
        source,
        ...(startIndex !== undefined && { startIndex }),
        ...(endIndex !== undefined && { endIndex }),
      },
    ];
  });

function toSource(annotation: PlainObject): LanguageModelV4Citation['source'] | undefined {
  const { type, url, title, index } = annotation;
  switch (type) {
    case 'url_citation':
      return idOf(url) === undefined
        ? undefined
        : {
            type: 'source',
            sourceType: 'url',
            id: String(url),
            url: String(url),
            ...(typeof title === 'string' && { title }),
          };
    case 'file_citation':
    case 'container_file_citation': {
      const fileId = idOf(annotation.file_id);
      if (fileId === undefined) return undefined;
      const filename = idOf(annotation.filename);
      const containerId = idOf(annotation.container_id);
      const openai: SharedV2ProviderMetadata[string] = {
        type,
        fileId,
        ...(containerId !== undefined && { containerId }),
        ...(numberOf(index) !== undefined && { index: numberOf(index) }),
      };
      return {
        type: 'source',
        sourceType: 'document',
        id: fileId,
        mediaType: 'text/plain',
        title: filename ?? fileId,
        filename: filename ?? fileId,
        providerMetadata: { openai },
      };
    }
    default:
      return undefined;
  }
}
