import * as z from 'zod/v4';
import { parseSettings } from '../../shared/settings.js';
import type { QwenOptions } from './qwen-options.js';

const flag = z.boolean().optional();

const schema: z.ZodType<QwenOptions> = z.strictObject({
  textCalls: flag,
  startsInReasoning: flag,
  fenceContent: flag,
  cleanSystem: flag,
  toolsAfterResult: flag,
});

export const validateQwenOptions = (options: unknown): QwenOptions =>
  parseSettings(schema, options, 'the options of qwenMiddleware');
