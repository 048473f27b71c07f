import { type InputProfile, mergeInputProfiles } from './request/input-profile.js';

/** What refusals have taught of the requests that a model takes. */
export interface LearnedProfile {
  readonly profile: InputProfile;
  add(profile: InputProfile): void;
}

/** The learned profiles of a provider's models. A model keeps its own for as long as the provider lives. */
export function createLearnedProfiles() {
  const profiles = new Map<string, InputProfile>();
  const profileOf = (modelId: string): InputProfile => profiles.get(modelId) ?? {};
  return {
    of: (modelId: string): LearnedProfile => ({
      get profile() {
        return profileOf(modelId);
      },
      add: profile => void profiles.set(modelId, mergeInputProfiles(profileOf(modelId), profile)),
    }),
  };
}
