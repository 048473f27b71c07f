import type { LanguageModelV2ToolCallPart, LanguageModelV2ToolResultPart } from '@ai-sdk/provider';
import type { InputItem } from '../../wire.js';

/** How the calls of a tool that the host runs, though it is no function, stand in a request. */
export interface HostedCallForm {
  /** The item of a call; `undefined` when its input is none of this tool's. */
  readonly toCall: (part: LanguageModelV2ToolCallPart, context: HostedCallContext) => InputItem | undefined;
  /** The item of what the host gave for it; `undefined` when the tool has no form for that. */
  readonly toOutput: (
    part: LanguageModelV2ToolResultPart,
    options: { warn: (message: string) => void },
  ) => InputItem | undefined;
  /** Whether the pair goes out once, right after the host has answered, and is history after that. @default false */
  readonly isForNextAnswer?: boolean;
}

export interface HostedCallContext {
  /** The id that the item had, for items that the API takes only with one. */
  readonly itemId: string | undefined;
  /** The same for items that need none: nothing, where the settings leave ids out. */
  readonly takeId: () => { id?: string };
  /** The tool's name on the wire. */
  readonly wireName: string;
}
