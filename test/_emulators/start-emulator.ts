import {
  type ResponsesEmulator,
  type ResponsesEmulatorOptions,
  startEmulator,
} from '../../src/testing/emulator.js';
import { chatRoute } from './chat.js';
import { googleRoute } from './google.js';

/** Starts the Responses emulator with the Chat Completions API and the Gemini API added. */
export const startMultiApiEmulator = (options: ResponsesEmulatorOptions = {}): Promise<ResponsesEmulator> =>
  startEmulator(options, { routes: [googleRoute, chatRoute] });
