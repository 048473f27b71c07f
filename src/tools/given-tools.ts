import * as z from 'zod/v4';
import { createUncheckedTools, type LocalTools } from './local-tools.js';
import { isToolSource, type ToolSource } from './tool-source.js';

/** Tools as applications give them: tools by name, a source of tools, or a list of both. */
export type GivenTools<Schemas = Record<string, unknown>> =
  LocalTools<Schemas> | ToolSource | readonly (LocalTools | ToolSource)[];

/** The schema of a setting or an option with such tools. The tools are checked when their source is created. */
export const toolsSetting = (): z.ZodType<GivenTools, GivenTools> =>
  z.custom<GivenTools>(
    value => (Array.isArray(value) ? value : [value]).every(one => typeof one === 'object' && one !== null),
    'expected tools by name, a source of tools, or a list of both',
  );

/**
 * Returns the sources of given tools.
 *
 * @throws KelivoError with code `invalid-settings` for a tool without `execute`.
 */
export const toSources = (given: object): readonly ToolSource[] =>
  (Array.isArray(given) ? given : [given]).map((one: object) =>
    isToolSource(one) ? one : createUncheckedTools(one),
  );
