import type { LanguageModelV2, LanguageModelV2Middleware } from '@ai-sdk/provider';
import type { TextToolFormat, UndeclaredPolicy } from './text-tool-format.js';

/** The settings of one model, which its middlewares share. */
export interface TextToolSettings {
  readonly undeclared?: UndeclaredPolicy | undefined;
  /** The start of responses is reasoning, or not. */
  readonly startsInReasoning?: boolean | undefined;
  /** Formats that are read in addition, because the prompt asks for them. */
  readonly formats?: readonly TextToolFormat[] | undefined;
}

const settings = new WeakMap<LanguageModelV2, TextToolSettings>();

export const textToolSettingsOf = (model: LanguageModelV2): TextToolSettings => settings.get(model) ?? {};

/** Sets the settings of a model, and returns it. */
export function withTextToolSettings(model: LanguageModelV2, given: TextToolSettings): LanguageModelV2 {
  settings.set(model, given);
  return model;
}

const textReaders = new WeakSet<object>();

/** Marks a middleware that reads calls in the text, and returns it. Copies of it are marked, too. */
export function markTextReader(middleware: LanguageModelV2Middleware): LanguageModelV2Middleware {
  if (middleware.wrapStream !== undefined) textReaders.add(middleware.wrapStream);
  return middleware;
}

/** Returns true if a middleware reads calls in the text. */
export const isTextReader = ({ wrapStream }: LanguageModelV2Middleware): boolean =>
  wrapStream !== undefined && textReaders.has(wrapStream);
