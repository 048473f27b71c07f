import { toCitedSource } from '../parts/sources.js';
import { numberOf, objectOf, objectsOf } from '../shared/json.js';
import type { LanguageModelV4Citation } from './specification.js';

/**
 * Converts the annotations of a text to citations. A `file_path` refers to a file that the model wrote, so it supports no
 * text. Returns none for values of another shape.
 */
export const toCitations = (annotations: unknown): LanguageModelV4Citation[] =>
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
