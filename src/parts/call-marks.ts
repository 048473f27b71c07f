import type {
  LanguageModelV2CallOptions,
  SharedV2ProviderMetadata,
  SharedV2ProviderOptions,
} from '@ai-sdk/provider';
import { objectOf, objectsOf } from '../shared/json.js';

/**
 * Marks the requests of one turn, so that an inner model can recognize them. The mark is an object that is passed by
 * reference in `providerOptions.kelivo.turn`. Other models ignore it.
 */
export function withTurnToken(options: LanguageModelV2CallOptions): LanguageModelV2CallOptions {
  const { providerOptions } = options;
  return {
    ...options,
    providerOptions: { ...providerOptions, kelivo: { ...providerOptions?.kelivo, turn: {} } },
  };
}

/** Adds the turn and the round to a request, for the request log. Other models ignore them. */
export function withRound(
  options: LanguageModelV2CallOptions,
  { turnId, round }: { turnId: string; round: number },
): LanguageModelV2CallOptions {
  const { providerOptions } = options;
  return {
    ...options,
    providerOptions: { ...providerOptions, kelivo: { ...providerOptions?.kelivo, turnId, round } },
  };
}

/** Returns true if a call requests responses in the background of the server. */
export function isBackgroundCall({ providerOptions }: LanguageModelV2CallOptions): boolean {
  const background = providerOptions?.kelivo?.background ?? providerOptions?.openai?.background ?? false;
  return background !== false && objectOf(background)?.submit !== true;
}

/**
 * The response of a round in the background: `submit` creates it and returns its id without content, and an id continues
 * it. The mark is passed in `providerOptions.kelivo.roundResponse`.
 */
export type RoundResponse = 'submit' | { readonly responseId: string };

export function withRoundResponse(
  options: LanguageModelV2CallOptions,
  roundResponse: RoundResponse | undefined,
): LanguageModelV2CallOptions {
  if (roundResponse === undefined) return options;
  const { providerOptions } = options;
  return {
    ...options,
    providerOptions: { ...providerOptions, kelivo: { ...providerOptions?.kelivo, roundResponse } },
  };
}

/** Returns the response of the round that a request belongs to. */
export function roundResponseOf(
  providerOptions: SharedV2ProviderOptions | undefined,
): RoundResponse | undefined {
  const mark = providerOptions?.kelivo?.roundResponse;
  const responseId = objectOf(mark)?.responseId;
  if (mark === 'submit') return mark;
  return typeof responseId === 'string' ? { responseId } : undefined;
}

/** Returns the mark of the turn that a request belongs to. */
export function turnTokenOf(providerOptions: SharedV2ProviderOptions | undefined): object | undefined {
  const turn = providerOptions?.kelivo?.turn;
  return typeof turn === 'object' && turn !== null ? turn : undefined;
}

/** Versions of the model interface: `v2` of `ai@5`, `v3` of `ai@6` and `v4` of `ai@7`. */
export type HostVersion = 'v2' | 'v3' | 'v4';

/**
 * Marks a call of a host that uses version 3 or 4 of the model interface. Such a host accepts calls of undeclared tools if
 * they are marked `dynamic`, and its facade needs token counts that version 2 does not have. The mark is passed in
 * `providerOptions.kelivo.host` through all wrappers of the model. Other models ignore it.
 */
export function withHost(
  options: LanguageModelV2CallOptions,
  host: Exclude<HostVersion, 'v2'>,
): LanguageModelV2CallOptions {
  const { providerOptions } = options;
  return {
    ...options,
    providerOptions: { ...providerOptions, kelivo: { ...providerOptions?.kelivo, host } },
  };
}

/** Returns the version of the model interface that the host uses. A call without a mark may come from any host. */
export function hostVersionOf({ providerOptions }: LanguageModelV2CallOptions): HostVersion {
  const host = providerOptions?.kelivo?.host;
  return host === 'v3' || host === 'v4' ? host : 'v2';
}

/** Returns true for hosts that use version 3 or later. */
export const isLaterHost = (options: LanguageModelV2CallOptions): boolean => hostVersionOf(options) !== 'v2';

/** The answer of a person to an approval request. */
export interface ApprovalResponse {
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason?: string;
}

/**
 * Passes the approval responses of a prompt to the tool loop, in `providerOptions.kelivo.approvalResponses`: version 2
 * has no message part for them.
 */
export function withApprovalResponses(
  options: LanguageModelV2CallOptions,
  responses: readonly ApprovalResponse[],
): LanguageModelV2CallOptions {
  if (responses.length === 0) return options;
  const { providerOptions } = options;
  const approvalResponses = responses.map(response => ({ ...response }));
  return {
    ...options,
    providerOptions: { ...providerOptions, kelivo: { ...providerOptions?.kelivo, approvalResponses } },
  };
}

/** Returns the approval responses of a prompt. Malformed ones are ignored. */
export const approvalResponsesOf = (
  providerOptions: SharedV2ProviderOptions | undefined,
): readonly ApprovalResponse[] =>
  objectsOf(providerOptions?.kelivo?.approvalResponses).flatMap(({ approvalId, approved, reason }) =>
    typeof approvalId === 'string'
      ? [{ approvalId, approved: approved === true, ...(typeof reason === 'string' && { reason }) }]
      : [],
  );

/** Marks a call that the host has to approve, in `providerMetadata.kelivo.approval`, which hosts keep in their history. */
export interface ApprovalMark {
  /** Id of the approval request. */
  readonly id: string;
  /** The MCP server of the tool. @default none, a tool of the application */
  readonly server?: string;
  /** The tool's name at its source. */
  readonly originalName: string;
  /** True if the request was answered before, so that the host need not ask. @default false */
  readonly answered?: boolean;
}

/** Adds the mark of an approval request to the metadata of a call. */
export const withApprovalMark = (
  metadata: SharedV2ProviderMetadata | undefined,
  { id, server, originalName, answered }: ApprovalMark,
): SharedV2ProviderMetadata => ({
  ...metadata,
  kelivo: {
    ...metadata?.kelivo,
    approval: { id, originalName, ...(server !== undefined && { server }), ...(answered && { answered }) },
  },
});

/** Returns the mark of a call, from its metadata or from the provider options of its prompt part. */
export function approvalMarkOf(metadata: unknown): ApprovalMark | undefined {
  const { id, server, originalName, answered } =
    objectOf(objectOf(objectOf(metadata)?.kelivo)?.approval) ?? {};
  if (typeof id !== 'string' || typeof originalName !== 'string') return undefined;
  return {
    id,
    originalName,
    ...(typeof server === 'string' && { server }),
    ...(answered === true && { answered }),
  };
}
