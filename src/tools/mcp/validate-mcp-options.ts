import * as z from 'zod/v4';
import { KelivoError } from '../../shared/errors.js';
import { parseSettings } from '../../shared/settings.js';
import type { McpConnectionPoolOptions, McpToolsOptions } from './options.js';

const milliseconds = z.number().positive();
const aFunction = <Type>() =>
  z.custom<Type>(value => typeof value === 'function', 'expected a function').optional();

const poolShape = {
  connectTimeout: milliseconds.optional(),
  retryFailedAfter: z.number().min(0).optional(),
  idleTimeout: milliseconds.optional(),
  fetch: aFunction<McpConnectionPoolOptions['fetch']>(),
  onElicitation: aFunction<McpConnectionPoolOptions['onElicitation']>(),
  onSampling: aFunction<McpConnectionPoolOptions['onSampling']>(),
  onLog: aFunction<McpConnectionPoolOptions['onLog']>(),
};

const poolSchema: z.ZodType<McpConnectionPoolOptions> = z.strictObject(poolShape);

const toolsSchema = z.strictObject({
  ...poolShape,
  timeout: milliseconds.optional(),
  totalTimeout: milliseconds.optional(),
  expandVariables: z.record(z.string(), z.string()).optional(),
  pool: z
    .custom<McpToolsOptions['pool']>(
      value => typeof value === 'object' && value !== null && 'connectionTo' in value,
      'expected the result of createMcpConnectionPool()',
    )
    .optional(),
}) as unknown as z.ZodType<McpToolsOptions>;

/** @throws KelivoError `invalid-settings`, naming the option, what was expected and what came. */
export function validateConnectionPoolOptions(options: unknown): McpConnectionPoolOptions {
  return parseSettings(poolSchema, options, 'the MCP connection pool options');
}

/**
 * @param name What the options are called in the message.
 * @throws KelivoError `invalid-settings`, naming the option, what was expected and what came.
 */
export function validateMcpToolsOptions(options: unknown, name = 'the MCP options'): McpToolsOptions {
  const valid = parseSettings(toolsSchema, options, name);
  const misplaced = Object.keys(poolShape).find(key => key in valid && valid[key as keyof McpToolsOptions]);
  if (valid.pool === undefined || misplaced === undefined) return valid;
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected \`${misplaced}\` among the options of \`createMcpConnectionPool\`, got it beside \`pool\` in ${name}.`,
  });
}
