import {
  adaptModel,
  formats,
  joinMiddlewares,
  qwenMiddleware,
  textToolsMiddleware,
} from '../../../src/adapters/index.js';
import { type ToolLoopOptions, withToolLoop } from '../../../src/tool-loop/index.js';
import { z } from 'zod';
import type { AnyModel, Major } from './_majors.js';

/** A way to wrap a model. */
export interface Wrapper {
  readonly name: string;
  /** It runs the tools of `tools`. Otherwise the host does. */
  readonly hasLoop: boolean;
  /** It reads calls that the model writes as text: `<tool_call>{…}</tool_call>`. */
  readonly readsText: boolean;
  /** `wrapLanguageModel` of the host is next to the model. */
  readonly isWithinHost: boolean;
  wrap(model: AnyModel, major: Major, tools: ToolLoopOptions['tools']): AnyModel;
}

/** A middleware of this package, which `wrapLanguageModel` of every major accepts. */
type Middleware = Parameters<typeof joinMiddlewares>[number];

// The functions accept models of every version. The type tests check that.
const looping = withToolLoop as unknown as (model: AnyModel, options: ToolLoopOptions) => AnyModel;
const adapting = adaptModel as unknown as (model: AnyModel, options?: object) => AnyModel;
const qwen = { adapters: ['qwen'] };

const within = (model: AnyModel, { sdk }: Major, ...middlewares: unknown[]): AnyModel =>
  sdk.wrapLanguageModel({
    model: model as never,
    middleware: middlewares as never,
  }) as unknown as AnyModel;

const loop = (tools: ToolLoopOptions['tools']): Middleware =>
  withToolLoop.middleware({ tools }) as Middleware;
const text = (): Middleware => textToolsMiddleware({ formats: [formats.hermes] }) as Middleware;

type Kind = Partial<Pick<Wrapper, 'hasLoop' | 'readsText' | 'isWithinHost'>>;

const wrapper = (name: string, kind: Kind, wrap: Wrapper['wrap']): Wrapper => ({
  ...{ hasLoop: false, readsText: false, isWithinHost: false },
  ...{ name, ...kind, wrap },
});

const loops = { hasLoop: true };
const reads = { readsText: true };
const both = { hasLoop: true, readsText: true };
const inHost = { isWithinHost: true };

export const wrappers: readonly Wrapper[] = [
  wrapper('withToolLoop', loops, (model, _, tools) => looping(model, { tools })),
  wrapper('toolLoopMiddleware', { ...loops, ...inHost }, (model, major, tools) =>
    within(model, major, loop(tools)),
  ),
  wrapper('adaptModel', reads, model => adapting(model, qwen)),
  wrapper('adaptModel without adapters', {}, model => adapting(model, { adapters: false })),
  wrapper('qwenMiddleware', { ...reads, ...inHost }, (model, major) =>
    within(model, major, qwenMiddleware()),
  ),
  wrapper('textToolsMiddleware', { ...reads, ...inHost }, (model, major) => within(model, major, text())),
  wrapper('joinMiddlewares(loop, text)', { ...both, ...inHost }, (model, major, tools) =>
    within(model, major, joinMiddlewares(loop(tools), text())),
  ),
  wrapper('joinMiddlewares(loop)', { ...loops, ...inHost }, (model, major, tools) =>
    within(model, major, joinMiddlewares(loop(tools))),
  ),
  wrapper('withToolLoop(adaptModel)', both, (model, _, tools) => looping(adapting(model, qwen), { tools })),
  wrapper('adaptModel(withToolLoop)', loops, (model, _, tools) =>
    adapting(looping(model, { tools }), { adapters: false }),
  ),
  wrapper('withToolLoop(withToolLoop)', loops, (model, _, tools) =>
    looping(looping(model, { tools: [] }), { tools }),
  ),
  wrapper('withToolLoop(wrapLanguageModel(qwen))', { ...both, ...inHost }, (model, major, tools) =>
    looping(within(model, major, qwenMiddleware()), { tools }),
  ),
  wrapper('wrapLanguageModel(loop, qwen)', { ...both, ...inHost }, (model, major, tools) =>
    within(model, major, loop(tools), qwenMiddleware()),
  ),
  wrapper('wrapLanguageModel(nothing)(withToolLoop(adaptModel))', both, (model, major, tools) =>
    within(looping(adapting(model, qwen), { tools }), major, NOTHING),
  ),
  wrapper('toolLoopMiddleware around a loop without tools', loops, (model, major, tools) =>
    within(looping(model, { tools: [] }), major, loop(tools)),
  ),
];

/** A middleware of the application that changes nothing. */
const NOTHING = {
  wrapGenerate: ({ doGenerate }: { doGenerate: () => unknown }) => doGenerate(),
  wrapStream: ({ doStream }: { doStream: () => unknown }) => doStream(),
};

/** Tools with a counter of their executions. */
export function createCountedTools() {
  let runs = 0;
  const add = {
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number().optional(), b: z.number().optional() }),
    execute: async ({ a = 0, b = 0 }: { a?: number; b?: number }) => {
      runs++;
      return a + b;
    },
  };
  return {
    add,
    tools: { add },
    get runs() {
      return runs;
    },
  };
}
