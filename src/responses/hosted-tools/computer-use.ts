import * as z from 'zod/v4';
import { defineHostedTool } from './define-hosted-tool.js';

export interface ComputerUseToolArguments {
  /** The width of the screen in pixels. */
  displayWidth: number;
  /** The height of the screen in pixels. */
  displayHeight: number;
  environment: 'browser' | 'linux' | 'mac' | 'ubuntu' | 'windows';
}

/** What to do with mouse and keyboard. Fields have the names of the wire. */
export interface ComputerAction {
  /** `click`, `double_click`, `drag`, `keypress`, `move`, `screenshot`, `scroll`, `type` or `wait`. */
  type: string;
  /** Pixels from the left and the top of the screen. */
  x?: number;
  y?: number;
  /** Of a `click`: `left`, `right`, `wheel`, `back` or `forward`. */
  button?: string;
  /** Of a `scroll`: how far, in pixels. */
  scroll_x?: number;
  scroll_y?: number;
  /** Of a `drag`: the points on the way. */
  path?: Array<{ x: number; y: number }>;
  /** Of a `keypress`: what is pressed; of others: what is held meanwhile. */
  keys?: string[];
  /** Of a `type`: what is typed. */
  text?: string;
}

/** A doubt of the API's: the host has to acknowledge it before the model goes on. */
export interface ComputerSafetyCheck {
  id: string;
  code?: string;
  message?: string;
}

export interface ComputerUseInput {
  action?: ComputerAction;
  /** Several actions, in their order, where the model asks for more than one at once. */
  actions?: ComputerAction[];
  pendingSafetyChecks?: ComputerSafetyCheck[];
}

export interface ComputerUseOutput {
  /** What the screen shows now: an image by URL (`data:` as well) or the id of an uploaded file. */
  output: { type: 'computer_screenshot'; imageUrl?: string; fileId?: string };
  /** The checks that a human has looked at and allowed. */
  acknowledgedSafetyChecks?: ComputerSafetyCheck[];
}

const actionSchema: z.ZodType<ComputerAction> = z.looseObject({
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

const safetyChecksSchema: z.ZodType<ComputerSafetyCheck[]> = z.array(
  z.object({ id: z.string(), code: z.string().optional(), message: z.string().optional() }),
);

const inputSchema: z.ZodType<ComputerUseInput> = z.object({
  action: actionSchema.optional(),
  actions: z.array(actionSchema).optional(),
  pendingSafetyChecks: safetyChecksSchema.optional(),
});

const outputSchema: z.ZodType<ComputerUseOutput> = z.object({
  output: z.object({
    type: z.literal('computer_screenshot'),
    imageUrl: z.string().optional(),
    fileId: z.string().optional(),
  }),
  acknowledgedSafetyChecks: safetyChecksSchema.optional(),
});

const createTool = defineHostedTool<ComputerUseInput, ComputerUseOutput, ComputerUseToolArguments>({
  id: 'openai.computer_use',
  name: 'computer_use',
  inputSchema,
  outputSchema,
});

/**
 * Lets the model use a screen, mouse and keyboard that the host controls. Every answer is a screenshot; a result with
 * image content (`toModelOutput`) will do as well. The model `computer-use-preview` asks for `truncation: 'auto'`.
 */
export const computerUse = (options: Parameters<typeof createTool>[0]) => createTool(options);
