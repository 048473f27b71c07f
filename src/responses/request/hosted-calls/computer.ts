import type { LanguageModelV2ToolResultPart } from '@ai-sdk/provider';
import { type Fields, fieldsOf, withoutUndefined } from '../fields.js';
import type { ComputerCallOutput } from '../hosted-items.js';
import { toToolOutput } from '../to-tool-output.js';
import type { HostedCallForm } from './hosted-call-form.js';

type Screenshot = ComputerCallOutput['output'];

/** `computer_use` and `computer`: what to do with mouse and keyboard. The answer is always a screenshot. */
export const computer: HostedCallForm = {
  toCall({ toolCallId, input }, { itemId }) {
    const { action, actions, pendingSafetyChecks } = fieldsOf(input) ?? {};
    const one = fieldsOf(action);
    const several = toObjects(actions);
    if (one === undefined && several === undefined) return undefined;
    return {
      type: 'computer_call',
      call_id: toolCallId,
      // The API asks for the id of this item.
      ...(itemId !== undefined && { id: itemId }),
      status: 'completed',
      ...(one !== undefined && { action: toWireAction(one) }),
      ...(several !== undefined && { actions: several.map(toWireAction) }),
      pending_safety_checks: toObjects(pendingSafetyChecks) ?? [],
    };
  },

  toOutput(part, options) {
    const value = part.output.type === 'json' ? fieldsOf(part.output.value) : undefined;
    const output = value === undefined ? toShownImage(part, options) : toScreenshot(fieldsOf(value.output));
    if (output === undefined) return undefined;
    const acknowledged = toObjects(value?.acknowledgedSafetyChecks);
    return {
      type: 'computer_call_output',
      call_id: part.toolCallId,
      output,
      ...(acknowledged !== undefined && { acknowledged_safety_checks: acknowledged }),
    };
  },
};

/** The names of `ai` 7 for how far to scroll; ours are the wire's already. */
function toWireAction({ scrollX, scrollY, ...action }: Fields): object {
  return withoutUndefined({ scroll_x: scrollX, scroll_y: scrollY, ...action });
}

function toScreenshot({ imageUrl, fileId, detail }: Fields = {}): Screenshot | undefined {
  if (typeof imageUrl !== 'string' && typeof fileId !== 'string') return undefined;
  return {
    type: 'computer_screenshot',
    ...(typeof imageUrl === 'string' && { image_url: imageUrl }),
    ...(typeof fileId === 'string' && { file_id: fileId }),
    ...(typeof detail === 'string' && { detail }),
  };
}

/** The last image of an output with content. */
function toShownImage(
  part: LanguageModelV2ToolResultPart,
  options: { warn: (message: string) => void },
): Screenshot | undefined {
  const output = part.output.type === 'content' ? toToolOutput(part, options) : '';
  const image =
    typeof output === 'string' ? undefined : output.findLast(content => content.type === 'input_image');
  if (image?.type !== 'input_image') return undefined;
  const { image_url, file_id, detail } = image;
  return withoutUndefined<Screenshot>({ type: 'computer_screenshot', image_url, file_id, detail });
}

function toObjects(values: unknown): Fields[] | undefined {
  return Array.isArray(values) ? values.map(fieldsOf).filter(value => value !== undefined) : undefined;
}
