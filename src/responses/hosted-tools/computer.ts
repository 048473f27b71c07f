import * as z from 'zod/v4';
import type { ToolResultPart } from '../../core/prompt.js';
import {
  idOf,
  type JSONObject,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
} from '../../core/shared/json.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import { withoutUndefined } from '../wire.js';
import {
  type HostedTool,
  presentFields,
  toCallId,
  type ToContent,
  toOutputObject,
  defineHostedTool,
} from './hosted-tool.js';

export interface ComputerUseToolArguments {
  /** Width of the screen in pixels. */
  displayWidth: number;
  /** Height of the screen in pixels. */
  displayHeight: number;
  environment: 'browser' | 'linux' | 'mac' | 'ubuntu' | 'windows';
}

interface Action {
  /** `click`, `double_click`, `drag`, `keypress`, `move`, `screenshot`, `scroll`, `type` or `wait`. */
  type: string;
  /** Position in pixels from the left and the top of the screen. */
  x?: number;
  y?: number;
  /** Button of a `click`: `left`, `right`, `wheel`, `back` or `forward`. */
  button?: string;
  /** Points of a `drag`. */
  path?: Array<{ x: number; y: number }>;
  /** Keys of a `keypress`, or keys that are held during another action. */
  keys?: string[];
  /** Text of a `type` action. */
  text?: string;
}

/** A mouse or keyboard action. */
export interface ComputerAction extends Action {
  /** Distance of a `scroll` in pixels. */
  scrollX?: number;
  scrollY?: number;
}

/** A mouse or keyboard action of `computerUse`. Its fields have the names that the API uses. */
export interface ComputerUseAction extends Action {
  /** Distance of a `scroll` in pixels. */
  scroll_x?: number;
  scroll_y?: number;
}

/** A safety check of the API. The host must acknowledge it before the model continues. */
export interface ComputerSafetyCheck {
  id: string;
  code?: string;
  message?: string;
}

export interface ComputerInput {
  /** Actions to run in order. */
  actions: ComputerAction[];
  /** Checks to review before the actions run. */
  pendingSafetyChecks: ComputerSafetyCheck[];
  status: 'in_progress' | 'completed' | 'incomplete';
}

export interface ComputerUseInput {
  action?: ComputerUseAction;
  /** Actions to run in order, if the model requests more than one at once. */
  actions?: ComputerUseAction[];
  pendingSafetyChecks?: ComputerSafetyCheck[];
}

export interface ComputerOutput {
  /** Current screenshot: the URL of an image (including `data:`) or the id of an uploaded file. */
  output: {
    type: 'computer_screenshot';
    imageUrl?: string;
    fileId?: string;
    /**
     * Level of detail at which the model sees the screenshot.
     * @default the default of the API
     */
    detail?: 'auto' | 'low' | 'high' | 'original';
  };
  /** Checks that a human has reviewed and allowed. */
  acknowledgedSafetyChecks?: ComputerSafetyCheck[];
}

function toSharedSchemas() {
  const number = z.number().optional();
  const action = {
    type: z.string(),
    x: number,
    y: number,
    button: z.string().optional(),
    path: z.array(z.object({ x: z.number(), y: z.number() })).optional(),
    keys: z.array(z.string()).optional(),
    text: z.string().optional(),
  };
  const safetyChecks = z.array(
    z.object({ id: z.string(), code: z.string().optional(), message: z.string().optional() }),
  );
  const outputSchema = z.object({
    output: z.object({
      type: z.literal('computer_screenshot'),
      imageUrl: z.string().optional(),
      fileId: z.string().optional(),
      detail: z.enum(['auto', 'low', 'high', 'original']).optional(),
    }),
    acknowledgedSafetyChecks: safetyChecks.optional(),
  });
  return { number, action, safetyChecks, outputSchema };
}

/**
 * Lets the model use a screen, mouse and keyboard that the host controls. Every output is a screenshot; a result with
 * image content (`toModelOutput`) works, too.
 */
export const computer = defineHostedTool<ComputerInput, ComputerOutput>()({
  id: 'openai.computer',
  name: 'computer',
  isProviderExecuted: false,
  toSchemas() {
    const { number, action, safetyChecks, outputSchema } = toSharedSchemas();
    return {
      inputSchema: z.object({
        actions: z.array(z.looseObject({ ...action, scrollX: number, scrollY: number })),
        pendingSafetyChecks: safetyChecks,
        status: z.enum(['in_progress', 'completed', 'incomplete']),
      }),
      outputSchema,
    };
  },
});

/** The earlier form of `computer`, for the model `computer-use-preview`, which requires `truncation: 'auto'`. */
export const computerUse = defineHostedTool<ComputerUseInput, ComputerOutput, ComputerUseToolArguments>()({
  id: 'openai.computer_use',
  name: 'computer_use',
  isProviderExecuted: false,
  toSchemas() {
    const { number, action, safetyChecks, outputSchema } = toSharedSchemas();
    const wireAction = z.looseObject({ ...action, scroll_x: number, scroll_y: number });
    return {
      inputSchema: z.object({
        action: wireAction.optional(),
        actions: z.array(wireAction).optional(),
        pendingSafetyChecks: safetyChecks.optional(),
      }),
      outputSchema,
    };
  },
});

export const computerTool: HostedTool = {
  declarations: {
    'openai.computer_use': { type: 'computer_use_preview', choiceFields: [] },
    'openai.computer': { type: 'computer', choiceFields: [] },
  },
  items: {
    computer_call: {
      toolName: 'computer_use',
      callId: item => toCallId(item) ?? idOf(item.id),
      input: toInput,
      isForHost: () => true,
      result: item => ({ type: 'computer_use_tool_result', status: stringOf(item.status) || 'completed' }),
    },
  },
  replay: {
    requiredOutput:
      "a screenshot, `{ output: { type: 'computer_screenshot', imageUrl } }` with `imageUrl` or `fileId`, or content with an image",

    toCall(part, context) {
      const { action, actions, pendingSafetyChecks, status } = objectOf(part.input) ?? {};
      const single = objectOf(action);
      if (single === undefined && !Array.isArray(actions)) return undefined;
      return {
        type: 'computer_call',
        call_id: part.toolCallId,
        // The API requires the id of this item.
        ...(context.itemId !== undefined && { id: context.itemId }),
        status: stringOf(status) || 'completed',
        ...(single !== undefined && { action: toWireAction(single) }),
        ...(Array.isArray(actions) && { actions: objectsOf(actions).map(toWireAction) }),
        pending_safety_checks: objectsOf(pendingSafetyChecks),
      };
    },

    toOutput(part, toContent) {
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
  history: hostedCallNames.computer,
};

/** Returns the arguments in the shape of the declared tool. */
function toInput(item: PlainObject, declaredId: string | undefined): JSONObject {
  const checks = objectsOf(item.pending_safety_checks).map(presentFields);
  const actions = Array.isArray(item.actions) ? objectsOf(item.actions).map(presentFields) : undefined;
  const action = objectOf(item.action) && presentFields(objectOf(item.action) ?? {});
  if (declaredId !== 'openai.computer') {
    const pendingSafetyChecks = Array.isArray(item.pending_safety_checks) ? checks : undefined;
    return presentFields({ action, actions, pendingSafetyChecks });
  }
  return {
    actions: (actions ?? [action ?? []].flat()).map(({ scroll_x: scrollX, scroll_y: scrollY, ...fields }) =>
      presentFields({ ...fields, scrollX, scrollY }),
    ),
    pendingSafetyChecks: checks,
    status: stringOf(item.status) || 'completed',
  };
}

/** Renames the scroll distances of `ai` 7. Those of this package already have the names of the API. */
const toWireAction = ({ scrollX, scrollY, ...action }: PlainObject): object =>
  withoutUndefined({ scroll_x: scrollX, scroll_y: scrollY, ...action });

function toScreenshot(item: PlainObject = {}): PlainObject | undefined {
  if (typeof item.imageUrl !== 'string' && typeof item.fileId !== 'string') return undefined;
  return {
    type: 'computer_screenshot',
    ...(typeof item.imageUrl === 'string' && { image_url: item.imageUrl }),
    ...(typeof item.fileId === 'string' && { file_id: item.fileId }),
    ...(typeof item.detail === 'string' && { detail: item.detail }),
  };
}

function toLastImage(part: ToolResultPart, toContent: ToContent): PlainObject | undefined {
  const content = part.output.type === 'content' ? toContent(part) : '';
  const image =
    typeof content === 'string' ? undefined : content.findLast(item => item.type === 'input_image');
  if (image?.type !== 'input_image') return undefined;
  const { image_url, file_id, detail } = image;
  return withoutUndefined({ type: 'computer_screenshot', image_url, file_id, detail });
}
