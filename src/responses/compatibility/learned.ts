import { type Compatibility, mergeCompatibility } from './compatibility.js';

/** What refusals have taught of the requests that a model takes. */
export interface LearnedCompatibility {
  readonly current: Compatibility;
  add(profile: Compatibility): void;
}

/** The learned profiles of a provider's models. A model keeps its own for as long as the provider lives. */
export function createLearnedCompatibility() {
  const profiles = new Map<string, Compatibility>();
  const profileOf = (modelId: string): Compatibility => profiles.get(modelId) ?? {};
  return {
    of: (modelId: string): LearnedCompatibility => ({
      get current() {
        return profileOf(modelId);
      },
      add: profile => void profiles.set(modelId, mergeCompatibility(profileOf(modelId), profile)),
    }),
  };
}
