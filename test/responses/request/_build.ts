import type { LanguageModelV2CallWarning, LanguageModelV2Prompt } from '@ai-sdk/provider';
import type { TurnLink } from '../../../src/core/call.js';
import {
  type BuildRequestContext,
  type BuiltRequest,
  buildRequest,
  type RequestCall,
} from '../../../src/responses/request/build-request.js';
import { type ReadCall, readCall } from '../../../src/core/versions/read.js';
import type { HostOptions } from '../../../src/core/versions/version.js';
import { VERSIONS } from '../../../src/core/versions/versions.js';

export const user = (text: string): LanguageModelV2Prompt[number] => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

export interface BuildContext extends BuildRequestContext {
  readonly stream: boolean;
  readonly turn: TurnLink;
}

/** The options of a call in the words of any version. */
export type HostCall = Omit<HostOptions, 'prompt' | 'tools' | 'providerOptions'> & {
  readonly prompt?: unknown;
  readonly tools?: unknown;
  readonly providerOptions?: Readonly<Record<string, object | undefined>> | undefined;
};

/** Reads the options of a call. */
export const read = (options: HostCall): ReadCall =>
  readCall({ prompt: [user('hi')], ...options } as HostOptions, { keys: undefined, scope: undefined });

type Built = Omit<BuiltRequest, 'warnings'> & { warnings: LanguageModelV2CallWarning[] };

/** Builds a request with the package's defaults. */
export const build = (options: HostCall = {}, context: Partial<BuildContext> = {}): Built =>
  buildCall(read(options), context);

/** Builds the request of a call in core types. */
export function buildCall(
  call: Omit<RequestCall, 'isStream'>,
  { stream = false, turn, ...context }: Partial<BuildContext> = {},
): Built {
  const built = buildRequest(
    { ...call, isStream: stream, turn },
    { modelId: 'gpt-5', store: false, systemMessageMode: 'auto', missingReasoning: 'omit-ids', ...context },
  );
  return { ...built, warnings: built.warnings.map(VERSIONS.v2.writeWarning) as LanguageModelV2CallWarning[] };
}

/** Returns the items of a prompt. */
export function inputOf(prompt: unknown[], context: Partial<BuildContext> = {}): unknown[] {
  return build({ prompt }, context).body.input;
}
