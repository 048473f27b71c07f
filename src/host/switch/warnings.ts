import type { Warning } from '../../core/part.js';
import { type PartSource, transformParts } from '../../core/source.js';

/** Adds warnings to a response. The list is read when the response begins. */
export function withWarnings(source: PartSource, warnings: readonly (Warning | string)[]): PartSource {
  return transformParts(source, {
    part(part, emit) {
      if (part.type !== 'stream-start' || warnings.length === 0) return emit(part);
      const added = warnings.map((warning): Warning =>
        typeof warning === 'string' ? { type: 'other', message: warning } : warning,
      );
      emit({ ...part, warnings: [...added, ...part.warnings] });
    },
  });
}
