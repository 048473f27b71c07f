import * as z from 'zod/v4';
import { parseSettings } from '../../shared/settings.js';
import type { MistralOptions } from './mistral-options.js';

/** An empty message is refused itself. */
const text = z
  .custom<string | false>(
    value => value === false || (typeof value === 'string' && value.trim() !== ''),
    'expected a text that is not empty, or false',
  )
  .optional();

const schema: z.ZodType<MistralOptions> = z.strictObject({
  callIds: z.boolean().optional(),
  textCalls: z.boolean().optional(),
  pairCalls: z.boolean().optional(),
  bridge: text,
  moveSystem: z.boolean().optional(),
  dropEmpty: z.boolean().optional(),
  mergeNeighbours: z.boolean().optional(),
  continuation: text,
  splitTextFromCalls: z.boolean().optional(),
});

export const validateMistralOptions = (options: unknown): MistralOptions =>
  parseSettings(schema, options, 'the options of mistralMiddleware');
