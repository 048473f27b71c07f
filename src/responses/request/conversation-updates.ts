import { InvalidArgumentError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import type { SystemMessage } from '../../core/prompt.js';
import type { Warning } from '../../core/part.js';
import type { PlainObject } from '../../core/shared/json.js';
import { type InputItem, isConfigurationUpdate, type TextFormat } from '../wire.js';
import type { ModelTraits } from './model-traits.js';
import { textFormatSchema } from './options.js';
import { readPartOptions, type ResponsesCallOptions } from './read-options.js';
import { type SchemaLosses, toParameters, toTextFormat } from './schemas.js';
import type { ToolNames } from './tool-names.js';

/*
 * Changes within a conversation, which keep the cached prefix of the request valid: of the reasoning effort, of the format
 * of the response, and of the tools.
 */

export interface UpdatesContext {
  readonly toolNames: ToolNames;
  readonly losses: SchemaLosses;
  readonly traits: ModelTraits;
  readonly callOptions: ResponsesCallOptions;
}

/** Returns why a call cannot change effort and format within a conversation. Undefined if it can. */
function toUpdateIssue(context: UpdatesContext): string | undefined {
  const { reasoningMode, truncation, contextManagement } = context.callOptions;
  if (!context.traits.isGpt6OrLater)
    return 'Configuration updates are only supported by GPT-6 and later models';
  return reasoningMode === 'pro' || truncation === 'auto' || contextManagement !== undefined
    ? 'Configuration updates require standard reasoning mode without automatic compaction or automatic truncation'
    : undefined;
}

/**
 * Converts an empty system message with the options `reasoningEffortUpdate`, `textFormatUpdate` or `additionalTools`.
 * Returns undefined for a message without them.
 *
 * @throws UnsupportedFunctionalityError for a message with text, or an update that the model does not support.
 * @throws InvalidArgumentError for an invalid format or tool.
 */
export function toUpdates(
  systemMessage: Pick<SystemMessage, 'content' | 'providerOptions'>,
  context: UpdatesContext,
): InputItem[] | undefined {
  const {
    reasoningEffortUpdate: effort,
    textFormatUpdate: format,
    additionalTools,
  } = readPartOptions({ providerOptions: systemMessage.providerOptions });
  if (effort === undefined && format === undefined && additionalTools === undefined) return undefined;
  const updates = { reasoningEffortUpdate: effort, textFormatUpdate: format, additionalTools };
  const option = Object.entries(updates).find(([, value]) => value !== undefined)?.[0];
  const refuse = (message: string): never => {
    throw new UnsupportedFunctionalityError({ functionality: `Message-level ${option}`, message });
  };
  if (systemMessage.content !== '') refuse(`Message-level ${option} requires empty system message content.`);
  const tools = toAdditionalTools(additionalTools, context);
  if (effort === undefined && format === undefined) return tools;

  const issue = toUpdateIssue(context);
  if (issue !== undefined) refuse(issue);
  if (effort !== undefined && typeof effort !== 'string') {
    refuse(`Expected reasoningEffortUpdate to be a string, got ${JSON.stringify(effort)}.`);
  }
  const effortIssue = toEffortIssue(effort, context);
  if (effortIssue !== undefined) refuse(effortIssue);
  return [
    {
      type: 'configuration_update',
      ...(typeof effort === 'string' && { reasoning: { effort } }),
      ...(format !== undefined && { text: { format: readTextFormat(format, context) } }),
    },
    ...tools,
  ];
}

function toEffortIssue(
  effort: unknown,
  { traits: { reasoningEfforts } }: UpdatesContext,
): string | undefined {
  return typeof effort === 'string' && reasoningEfforts?.includes(effort) === false
    ? `This model only supports the following reasoning efforts: ${reasoningEfforts.join(', ')}`
    : undefined;
}

const functionDefinition = z.looseObject({
  type: z.literal('function'),
  name: z.string().min(1),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  strict: z.boolean().optional(),
  defer_loading: z.boolean().optional(),
});

const customDefinition = z.looseObject({ type: z.literal('custom'), name: z.string().min(1) });

const additionalToolsSchema = z.array(
  z.union([
    functionDefinition,
    customDefinition,
    z.looseObject({
      type: z.literal('namespace'),
      name: z.string().min(1),
      description: z.string(),
      tools: z.array(z.union([functionDefinition, customDefinition])).min(1),
    }),
  ]),
);

/**
 * Converts the option `additionalTools` of a system message or a tool result to the item that adds the tools. Returns no
 * item without tools.
 *
 * @throws InvalidArgumentError for an invalid tool.
 */
export function toAdditionalTools(
  value: unknown,
  context: Pick<UpdatesContext, 'toolNames' | 'losses'>,
): InputItem[] {
  if (value === undefined || value === null) return [];
  const parsed = additionalToolsSchema.safeParse(value);
  if (!parsed.success) {
    const path = ['additionalTools', ...(parsed.error.issues[0]?.path ?? [])].join('.');
    throw new InvalidArgumentError({
      argument: path,
      message:
        `Invalid value for \`${path}\`. Expected tools of the types \`function\`, \`custom\` or \`namespace\` with the ` +
        'field names of the API. Correct or remove it.',
      cause: parsed.error,
    });
  }
  if (parsed.data.length === 0) return [];
  const toTool = (tool: PlainObject, namespace?: string): PlainObject => {
    const name = context.toolNames.toWire(String(tool.name), namespace);
    if (tool.type !== 'function' || tool.parameters === undefined) return { ...tool, name };
    const { schema, losses } = toParameters(tool.parameters);
    context.losses.add(losses, String(tool.name));
    return { ...tool, name, parameters: schema };
  };
  const tools = parsed.data.map(tool =>
    'tools' in tool && Array.isArray(tool.tools)
      ? { ...tool, tools: tool.tools.map(inner => toTool(inner, tool.name)) }
      : toTool(tool),
  );
  return [{ type: 'additional_tools', role: 'developer', tools }];
}

function readTextFormat(value: unknown, context: Pick<UpdatesContext, 'losses'>): TextFormat {
  const parsed = textFormatSchema().safeParse(value);
  if (parsed.success) return toTextFormat(parsed.data, context);
  throw new InvalidArgumentError({
    argument: 'textFormatUpdate',
    message:
      'Invalid value for `textFormatUpdate`. Expected a format with a `type`, and with `name` and `schema` for ' +
      '`json_schema`. Correct or remove it.',
    cause: parsed.error,
  });
}

/** Inserts the call's change of effort before the items, unless they begin with the same change. */
export function withEffortUpdate(
  items: InputItem[],
  context: UpdatesContext,
  warn: (warning: Warning) => void,
): InputItem[] {
  const effort = context.callOptions.reasoningEffortUpdate;
  const issue = toUpdateIssue(context) ?? toEffortIssue(effort, context);
  if (effort !== undefined && issue !== undefined) {
    warn({ type: 'unsupported', feature: 'reasoningEffortUpdate', details: issue });
  }
  const [first] = items;
  const isPresent = isConfigurationUpdate(first) && first.reasoning?.effort === effort;
  const isAdded = effort !== undefined && issue === undefined && !isPresent;
  const updated: InputItem[] = isAdded
    ? [{ type: 'configuration_update', reasoning: { effort } }, ...items]
    : items;
  const isAdjacent = updated.some(
    (item, index) => isConfigurationUpdate(item) && isConfigurationUpdate(updated[index + 1]),
  );
  if (isAdjacent) {
    throw new UnsupportedFunctionalityError({
      functionality: 'Adjacent configuration updates',
      message:
        'Configuration updates cannot be consecutive. Set reasoningEffortUpdate and textFormatUpdate in the same empty ' +
        'system message, and omit the reasoningEffortUpdate of the call if messages contain updates.',
    });
  }
  return updated;
}
