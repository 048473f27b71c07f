import { type ModelAdapter, modelAdapters } from 'kelivo-responses/adapters';
import type { Settings } from '../shared/playground-state.js';

/** The adapters of the model's family that are switched on. */
export const adaptersFor = ({
  modelId,
  disabledAdapters,
}: Pick<Settings, 'modelId' | 'disabledAdapters'>): readonly ModelAdapter[] =>
  modelAdapters.findFor(modelId).filter(({ name }) => !disabledAdapters.includes(name));
