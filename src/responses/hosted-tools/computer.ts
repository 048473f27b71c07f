import type { LanguageModelV2ToolResultPart } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import { idOf, objectOf, objectsOf, type PlainObject, stringOf } from '../../shared/json.js';
import { type HostedInputItem, withoutUndefined } from '../wire.js';
import {
  defineToolFactory,
  type HostedTool,
  presentFields,
  toCallId,
  type ToContent,
  toOutputObject,
} from './hosted-tool.js';

export interface ComputerUseToolArguments {
  /** Width of the screen in pixels. */
  displayWidth: number;
  /** Height of the screen in pixels. */
  displayHeight: number;
  environment: 'browser' | 'linux' | 'mac' | 'ubuntu' | 'windows';
}

/** A mouse or keyboard action. Its fields have the names that the API uses. */
export interface ComputerAction {
  /** `click`, `double_click`, `drag`, `keypress`, `move`, `screenshot`, `scroll`, `type` or `wait`. */
  type: string;
  /** Position in pixels from the left and the top of the screen. */
  x?: number;
  y?: number;
  /** Button of a `click`: `left`, `right`, `wheel`, `back` or `forward`. */
  button?: string;
  /** Distance of a `scroll` in pixels. */
  scroll_x?: number;
  scroll_y?: number;
  /** Points of a `drag`. */
  path?: Array<{ x: number; y: number }>;
  /** Keys of a `keypress`, or keys that are held during another action. */
  keys?: string[];
  /** Text of a `type` action. */
  text?: string;
}

/** A safety check of the API. The host must acknowledge it before the model continues. */
export interface ComputerSafetyCheck {
  id: string;
  code?: string;
  message?: string;
}

export interface ComputerUseInput {
  action?: ComputerAction;
  /** Actions to run in order, if the model requests more than one at once. */
  actions?: ComputerAction[];
  pendingSafetyChecks?: ComputerSafetyCheck[];
}

export interface ComputerUseOutput {
  /** Current screenshot: the URL of an image (including `data:`) or the id of an uploaded file. */
  output: { type: 'computer_screenshot'; imageUrl?: string; fileId?: string };
  /** Checks that a human has reviewed and allowed. */
  acknowledgedSafetyChecks?: ComputerSafetyCheck[];
}

const createTool = defineToolFactory<ComputerUseInput, ComputerUseOutput, ComputerUseToolArguments>({
  id: 'openai.computer_use',
  name: 'computer_use',
  toSchemas() {
    const action = z.looseObject({
      type: z.string(),
      x: z.number().optional(),
      y: z.number().optional(),
      button: z.string().optional(),
      scroll_x: z.number().optional(),
      scroll_y: z.number().optional(),
      path: z.array(z.object({ x: z.number(), y: z.number() })).optional(),
      keys: z.array(z.string()).optional(),
      text: z.string().optional(),
    });
    const safetyChecks = z.array(
      z.object({ id: z.string(), code: z.string().optional(), message: z.string().optional() }),
    );
    return {
      inputSchema: z.object({
        action: action.optional(),
        actions: z.array(action).optional(),
        pendingSafetyChecks: safetyChecks.optional(),
      }),
      outputSchema: z.object({
        output: z.object({
          type: z.literal('computer_screenshot'),
          imageUrl: z.string().optional(),
          fileId: z.string().optional(),
        }),
        acknowledgedSafetyChecks: safetyChecks.optional(),
      }),
    };
  },
});

/**
 * Lets the model use a screen, mouse and keyboard that the host controls. Every output is a screenshot; a result with
 * image content (`toModelOutput`) works, too. The model `computer-use-preview` requires `truncation: 'auto'`.
 */
export const computerUse = (options: Parameters<typeof createTool>[0]) => createTool(options);

interface ComputerCall extends HostedInputItem {
  type: 'computer_call';
  call_id: string;
  status: 'completed';
  action?: object;
  actions?: object[];
  pending_safety_checks: object[];
}

interface ComputerCallOutput extends HostedInputItem {
  type: 'computer_call_output';
  call_id: string;
  output: Screenshot;
  acknowledged_safety_checks?: object[];
}

interface Screenshot {
  type: 'computer_screenshot';
  image_url?: string;
  file_id?: string;
  detail?: string;
}

/** `computer` and `computer_use_preview`: the host runs mouse and keyboard actions and returns a screenshot. */
export const computerTool: HostedTool = {
  declarations: {
    'openai.computer_use': {
      type: 'computer_use_preview',
      toSettings: ({ displayWidth, displayHeight, environment }) => ({
        display_width: displayWidth,
        display_height: displayHeight,
        environment,
      }),
      choiceFields: [],
    },
    'openai.computer': { type: 'computer', choiceFields: [] },
  },
  items: {
    computer_call: {
      toolName: 'computer_use',
      callId: item => toCallId(item) ?? idOf(item.id),
      input: ({ action, actions, pending_safety_checks: pendingSafetyChecks }) =>
        presentFields({ action, actions, pendingSafetyChecks }),
      isForHost: () => true,
      result: ({ status }) => ({ type: 'computer_use_tool_result', status: stringOf(status) || 'completed' }),
    },
  },
  replay: {
    toCall({ toolCallId, input }, { itemId }): ComputerCall | undefined {
      const { action, actions, pendingSafetyChecks } = objectOf(input) ?? {};
      const single = objectOf(action);
      if (single === undefined && !Array.isArray(actions)) return undefined;
      return {
        type: 'computer_call',
        call_id: toolCallId,
        // The API requires the id of this item.
        ...(itemId !== undefined && { id: itemId }),
        status: 'completed',
        ...(single !== undefined && { action: toWireAction(single) }),
        ...(Array.isArray(actions) && { actions: objectsOf(actions).map(toWireAction) }),
        pending_safety_checks: objectsOf(pendingSafetyChecks),
      };
    },

    toOutput(part, toContent): ComputerCallOutput | undefined {
      const value = toOutputObject(part);
      const output =
        value === undefined ? toLastImage(part, toContent) : toScreenshot(objectOf(value.output));
      if (output === undefined) return undefined;
      const acknowledged = value?.acknowledgedSafetyChecks;
      return {
        type: 'computer_call_output',
        call_id: part.toolCallId,
        output,
        ...(Array.isArray(acknowledged) && { acknowledged_safety_checks: objectsOf(acknowledged) }),
      };
    },
  },
  history: { toolNames: ['computer_use'], idPrefixes: ['cu'] },
};

/** Renames the scroll distances of `ai` 7. Those of this package already have the names of the API. */
const toWireAction = ({ scrollX, scrollY, ...action }: PlainObject): object =>
  withoutUndefined({ scroll_x: scrollX, scroll_y: scrollY, ...action });

function toScreenshot({ imageUrl, fileId, detail }: PlainObject = {}): Screenshot | undefined {
  if (typeof imageUrl !== 'string' && typeof fileId !== 'string') return undefined;
  return {
    type: 'computer_screenshot',
    ...(typeof imageUrl === 'string' && { image_url: imageUrl }),
    ...(typeof fileId === 'string' && { file_id: fileId }),
    ...(typeof detail === 'string' && { detail }),
  };
}

/** Returns the last image of an output with content. */
function toLastImage(part: LanguageModelV2ToolResultPart, toContent: ToContent): Screenshot | undefined {
  const content = part.output.type === 'content' ? toContent(part) : '';
  const image =
    typeof content === 'string' ? undefined : content.findLast(item => item.type === 'input_image');
  if (image?.type !== 'input_image') return undefined;
  const { image_url, file_id, detail } = image;
  return withoutUndefined<Screenshot>({ type: 'computer_screenshot', image_url, file_id, detail });
}
