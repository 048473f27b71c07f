import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import * as v2 from '../../src/index.js';
import * as v3 from '../../src/v3.js';
import * as v4 from '../../src/v4.js';

/** The majors of `ai` by title, each with the entry of this package for it. */
export const majors = [
  ['ai 5', ai5, v2],
  ['ai 6', ai6, v3],
  ['ai 7', ai7, v4],
] as unknown as readonly (readonly [string, typeof ai5, typeof v2])[];

/** The majors of `ai`, each with the provider of this package for it. */
export const hosts = [
  { major: 5, sdk: ai5, create: v2.createKelivoResponsesProvider },
  { major: 6, sdk: ai6, create: v3.createKelivoResponsesProvider },
  { major: 7, sdk: ai7, create: v4.createKelivoResponsesProvider },
] as unknown as readonly {
  major: number;
  sdk: typeof ai5;
  create: typeof v2.createKelivoResponsesProvider;
}[];
