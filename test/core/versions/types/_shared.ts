// What the programs for all majors of `ai` use.
import * as z from 'zod';
import {
  joinMiddlewares,
  mistralMiddleware,
  qwenMiddleware,
  textToolsMiddleware,
} from '../../../../src/adapters/index.js';
import { devTools } from '../../../../src/telemetry/devtools/index.js';
import { withToolLoop } from '../../../../src/tool-loop/index.js';

export const weatherInput = z.object({ city: z.string() });

export const readWeather = async ({ city }: z.infer<typeof weatherInput>) => ({ city, sky: 'clear' });

export const toShellOutput = (command: string) => ({
  stdout: command,
  stderr: '',
  outcome: { type: 'exit' as const, exitCode: 0 },
});

/** The middlewares have one type, which `wrapLanguageModel` of every major accepts. */
export const middlewares = {
  family: qwenMiddleware(),
  loop: withToolLoop.middleware({ tools: [] }),
  text: textToolsMiddleware({ formats: [] }),
  devTools: devTools(),
  joined: joinMiddlewares(qwenMiddleware(), mistralMiddleware()),
};
