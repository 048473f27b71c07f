import {
  type ReasoningTags,
  type TextToolFormat,
  thinkTags,
} from '../text-tools/reading/text-tool-format.js';
import type { TextToolsOptions } from '../text-tools/text-tools.js';
import type { ModelMiddleware } from '../../core/versions/middleware.js';
import type { ModelAdapter } from './definition.js';
import { joinMiddlewares } from './middleware.js';
import { matchModelName } from './model-adapter.js';
import { textToolsMiddleware } from './text-tools-middleware.js';

/** The adapter of a family of this package. */
export type ModelFamily = ModelAdapter<ModelMiddleware>;

/** The description of a family. */
interface FamilyRow extends Pick<ModelFamily, 'prompt'> {
  /** Words of the model ids, as `matchModelName` receives them, or a test. @default the name */
  readonly ids?: readonly string[] | ModelFamily['appliesTo'];
  /** Families whose models have the words in their ids, too. */
  readonly unless?: readonly ModelFamily[];
  /** Middlewares around the one that reads text, the first one outermost. */
  readonly middlewares?: readonly ModelMiddleware[];
  /** The formats of the calls. If a text fits several formats, the first one is used. Without any, text is not read. */
  readonly formats?: readonly TextToolFormat[];
  /** @default `<think>` */
  readonly reasoning?: readonly ReasoningTags[];
  /** The model ids whose chat templates open the reasoning, or a test of a request. */
  readonly startsInReasoning?: RegExp | TextToolsOptions['startsInReasoning'];
}

/** Creates the adapter of a family from its description. */
/* @__NO_SIDE_EFFECTS__ */
export function defineFamily(
  name: string,
  { ids = [name], unless = [], prompt, ...row }: FamilyRow,
): ModelFamily {
  const { middlewares = [], formats, reasoning = [thinkTags], startsInReasoning = false } = row;
  const matches = typeof ids === 'function' ? ids : matchModelName(...ids);
  const readers =
    formats === undefined
      ? []
      : [
          textToolsMiddleware({
            formats,
            reasoning,
            startsInReasoning:
              startsInReasoning instanceof RegExp
                ? modelId => startsInReasoning.test(modelId)
                : startsInReasoning,
          }),
        ];
  return {
    name,
    appliesTo: modelId => matches(modelId) && !unless.some(other => other.appliesTo(modelId)),
    middleware: joinMiddlewares(...middlewares, ...readers),
    prompt,
  };
}
