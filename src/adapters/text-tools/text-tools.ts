import type { CoreCall } from '../../core/call.js';
import type { CallSettings } from '../../core/prompt.js';
import { type CoreModel, transformParts, withOpen } from '../../core/source.js';
import { Memory } from '../../core/shared/memory.js';
import { isPlainObject, tryParseJson } from '../../core/shared/json.js';
import type {
  ReasoningTags,
  TextToolFormat,
  TextSyntax,
  UndeclaredPolicy,
} from './reading/text-tool-format.js';
import { createTextToolReader, type TextToolReader, type ResponseStart } from './parser/text-tool-reader.js';

/** A call as an application sees it. */
export interface AdaptedCall
  extends
    CallSettings,
    Pick<CoreCall, 'prompt' | 'tools' | 'toolChoice' | 'headers' | 'abortSignal' | 'providerOptions'> {}

/** Describes how a model writes calls and reasoning as text. */
export interface TextToolsOptions {
  /** The formats of the model's calls. If a text fits several formats, the first one is used. */
  formats: readonly TextToolFormat[];
  /**
   * The tags around the model's reasoning. If the server separates reasoning from the text, tags in the text are left
   * there.
   * @default none
   */
  reasoning?: readonly ReasoningTags[];
  /**
   * Treats the start of a response as reasoning in the first of the `reasoning` tags, for chat templates that end in the
   * opening tag, so that only the closing tag is generated. Ignored if the server returns reasoning separately, or if
   * the request turns reasoning off, as with `chat_template_kwargs: { enable_thinking: false }`. A response of the server counts
   * more: a reasoning item or a native call shows that it separates the reasoning, a closing tag that it does not. Until one of
   * them was seen, the first 400 characters of a response are held back. If the response finishes normally without the closing
   * tag, it is emitted again as text. A function receives the model id and the request. The setting of `adaptModel` overrides it.
   * @default false
   */
  startsInReasoning?: boolean | ((modelId: string, params: AdaptedCall) => boolean);
}

/** The settings of one adapted model, which all its adapters receive. */
export interface TextToolSettings {
  readonly undeclared?: UndeclaredPolicy | undefined;
  /** The syntax that replaces that of the adapters. */
  readonly syntax?: TextSyntax | undefined;
  /** The start of responses is reasoning, or not. */
  readonly startsInReasoning?: boolean | undefined;
  /** The length from which arguments stream. */
  readonly streamArgumentsFrom?: number | undefined;
  /** Formats that are read in addition, because the prompt asks for them. Constant lists. */
  readonly formats?: readonly TextToolFormat[] | undefined;
}

/** Returns a function that converts calls and reasoning in a model's text to parts. */
export function createTextTools({
  formats,
  reasoning = [],
  startsInReasoning = false,
}: TextToolsOptions): (model: CoreModel, settings: TextToolSettings) => CoreModel {
  // The lists of formats by what they add. Markers are cached by the identity of a list.
  const lists = new Map<TextToolSettings['formats'], readonly TextToolFormat[]>();
  return (model, settings) => {
    const { syntax } = settings;
    const readFormats =
      syntax?.formats ?? lists.get(settings.formats) ?? withFormats(formats, settings.formats);
    if (syntax === undefined) lists.set(settings.formats, readFormats);
    return withReader(
      model,
      call =>
        createTextToolReader({
          formats: readFormats,
          reasoning: syntax?.reasoning ?? reasoning,
          dropsText: syntax?.dropsText,
          undeclared: settings.undeclared,
          streamArgumentsFrom: settings.streamArgumentsFrom,
          call,
        }),
      (call, separates) => {
        const stated = settings.startsInReasoning ?? syntax?.startsInReasoning;
        if (stated !== undefined) return stated ? 'reasoning' : 'text';
        const isSuggested =
          typeof startsInReasoning === 'function'
            ? startsInReasoning(model.modelId, call)
            : startsInReasoning;
        if (!isSuggested) return 'text';
        if (separates === undefined) return 'unknown';
        return separates ? 'text' : 'reasoning';
      },
    );
  };
}

/** What the responses of a server have shown about a model, by both: that it separates the reasoning, or not. */
const servers = new Memory<string, boolean>('reasoning servers');

/**
 * Returns the model with its responses read.
 *
 * @param startOf Receives what earlier responses have shown: that the server separates the reasoning, or not.
 */
function withReader(
  model: CoreModel,
  createReader: (call: CoreCall) => TextToolReader,
  startOf: (call: CoreCall, separates: boolean | undefined) => ResponseStart,
): CoreModel {
  const { modelId } = model;
  /** What the responses of a server without an address have shown. */
  let own: boolean | undefined;
  return withOpen(model, async call => {
    // The reader is created before the request, so that it does not delay the first delta.
    const reader = createReader(call);
    const source = await model.open(call);
    const { url, body } = source.request ?? {};
    const key = url === undefined ? undefined : `${url}\n${modelId}`;
    const separates = key === undefined ? own : servers.get(key);
    const start = startOf(call, separates);
    reader.begin(start !== 'text' && turnsReasoningOff(call, body) ? 'text' : start);
    return transformParts(source, {
      part(part, emit) {
        reader.part(part, emit);
        if (part.type !== 'finish') return;
        const { separatesReasoning } = reader;
        if (separatesReasoning === undefined) return;
        if (key === undefined) own = separatesReasoning;
        else servers.set(key, separatesReasoning);
      },
      flush: emit => reader.flush?.(emit),
    });
  });
}

/**
 * Converts calls of declared tools in the text of a model that no adapter is known for, in formats whose markers occur in
 * no other text. All other text stays as it is. The metadata names the formats that were found.
 */
export function detectTextCalls(
  model: CoreModel,
  {
    formats,
    reasoning,
    undeclared,
    startsInReasoning,
    streamArgumentsFrom,
  }: Pick<TextSyntax, 'formats' | 'reasoning'> & Omit<TextToolSettings, 'syntax' | 'formats'>,
): CoreModel {
  const detecting = withReader(
    model,
    call =>
      createTextToolReader({
        formats,
        reasoning,
        undeclared: undeclared === 'drop' ? 'drop' : 'text',
        streamArgumentsFrom,
        call,
        isDetected: true,
      }),
    () => (startsInReasoning === true ? 'reasoning' : 'text'),
  );
  return withOpen(model, call => {
    const hasTools = call.tools?.some(tool => tool.type === 'function') === true;
    return hasTools ? detecting.open(call) : model.open(call);
  });
}

/** Adds the formats that a list does not contain. */
function withFormats(
  formats: readonly TextToolFormat[],
  added: readonly TextToolFormat[] = [],
): readonly TextToolFormat[] {
  const missing = added.filter(entry => !formats.some(format => format.name === entry.name));
  return missing.length === 0 ? formats : [...missing, ...formats];
}

/** The switches of chat templates and servers, with the values that turn reasoning off. */
const REASONING_SWITCHES: Readonly<Record<string, (value: unknown) => boolean>> = {
  // `chat_template_kwargs` of vLLM, SGLang and llama.cpp.
  enable_thinking: value => value === false,
  enableThinking: value => value === false,
  thinking: value => value === false || (isPlainObject(value) && value.type === 'disabled'),
  thinking_mode: value => value === 'disabled' || value === 'off',
  reasoning_effort: value => value === 'none',
  reasoningEffort: value => value === 'none',
  // OpenRouter and the Responses API.
  reasoning: value => isPlainObject(value) && (value.enabled === false || value.effort === 'none'),
};

/** The objects of a server's options that may contain the switches. */
const SWITCH_CONTAINERS = ['chat_template_kwargs', 'chatTemplateKwargs', 'extra_body', 'extraBody'];

/**
 * Returns true if the request turns the model's reasoning off. What was sent counts. Without it, the effort and the options
 * of any provider do.
 */
function turnsReasoningOff(call: CoreCall, sent: unknown): boolean {
  const body: unknown = typeof sent === 'string' ? tryParseJson(sent) : sent;
  if (isPlainObject(body) && Object.keys(body).length > 0) return isOffIn(body);
  return call.reasoning === 'none' || [call.own, ...Object.values(call.providerOptions ?? {})].some(isOffIn);
}

function isOffIn(options: unknown): boolean {
  if (!isPlainObject(options)) return false;
  return (
    Object.entries(REASONING_SWITCHES).some(([name, isOff]) => isOff(options[name])) ||
    SWITCH_CONTAINERS.some(name => isOffIn(options[name]))
  );
}
