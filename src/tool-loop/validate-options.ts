import * as z from 'zod/v4';
import { parseSettings } from '../shared/parse-settings.js';
import { isToolSource, type ToolSource } from '../tools/tool-source.js';
import type { Approve } from './ask-approval.js';
import type { ToolResultStore } from './call-results.js';
import type { ToolLoopOptions } from './options.js';
import type { ToolLoopEvent } from './tool-loop-event.js';

const source = z.custom<ToolSource>(
  isToolSource,
  'expected a tool source, such as the result of createMcpTools() or createLocalTools()',
);
const aFunction = <Type>() => z.custom<Type>(value => typeof value === 'function', 'expected a function');
const isResultStore = (value: unknown): boolean => {
  const { get, set }: { get?: unknown; set?: unknown } = Object(value);
  return typeof get === 'function' && typeof set === 'function';
};
const atLeastOne = z.number().int().min(1);
const milliseconds = z.number().positive();

/** The options of a loop but for its tools, as a provider's `toolLoop` setting takes them. */
export const toolLoopSettingsShape = {
  maxRounds: atLeastOne.optional(),
  maxToolCalls: atLeastOne.optional(),
  maxToolOutputChars: z.number().int().min(100).optional(),
  maxToolMediaBytes: z.number().int().min(0).optional(),
  approve: aFunction<Approve>().optional(),
  approvals: z.enum(['none', 'destructive', 'all']).optional(),
  resultStore: z
    .custom<ToolResultStore>(isResultStore, 'expected an object with `get` and `set`, such as a Keyv')
    .optional(),
  execution: z.enum(['auto', 'parallel', 'sequential']).optional(),
  maxParallel: atLeastOne.optional(),
  startEarly: z.boolean().optional(),
  toolActivity: z.enum(['auto', 'none']).optional(),
  timeouts: z.strictObject({ tool: milliseconds.optional(), total: milliseconds.optional() }).optional(),
  retry: z
    .strictObject({
      maxRetries: z.number().int().min(0).optional(),
      initialDelay: z.number().min(0).optional(),
    })
    .optional(),
  onEvent: aFunction<(event: ToolLoopEvent) => void>().optional(),
};

const schema: z.ZodType<ToolLoopOptions> = z.strictObject({
  tools: z.union([source, z.array(source)], 'expected a tool source or an array of them'),
  ...toolLoopSettingsShape,
});

export const validateToolLoopOptions = (options: unknown): ToolLoopOptions =>
  parseSettings(schema, options, 'the tool loop options');
