import { KelivoError } from '../shared/errors.js';

/** What a check throws, as a fault at a place; none where it throws nothing. */
export function faultsOf(path: string, check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (KelivoError.isInstance(error)) return [`\`${path}\`: ${error.message}`];
    throw error;
  }
}
