import type { Warning } from '../core/part.js';
import { type OpenedResponse, openResponse, type OpenResponseOptions } from '../core/http/open-response.js';
import type { LoggedCall } from '../core/http/request-log.js';
import type { ResponsesRequestBody } from './wire.js';

export interface ResponseRequest extends Pick<
  OpenResponseOptions,
  'url' | 'headers' | 'needsKey' | 'toInputJson' | 'fetch' | 'signal' | 'timeouts'
> {
  readonly body: ResponsesRequestBody;
  /** The call that the request log reports. */
  readonly call: LoggedCall;
  /** Receives the warnings of the transport. */
  readonly warn: (warning: Warning) => void;
}

/** A response that has begun. Its body has the same form for all transports. */
export interface ResponseSource extends OpenedResponse {
  /** Present for a response that the server continues without a connection. */
  readonly background?: BackgroundSource;
}

interface BackgroundSource {
  /** Undefined if the server answers at once instead. */
  readonly responseId: string | undefined;
  /** Ends the reading. The response continues on the server. */
  leave(): void;
}

/** Sends requests and opens their responses. */
export interface ResponseTransport {
  /** Opens a connection for a request that is being built. */
  prepare?(target: { readonly url: string; readonly headers: Readonly<Record<string, string>> }): void;
  /** Returns when the server has begun to respond. Rejects with an `APICallError`, or with the reason of an abort. */
  open(request: ResponseRequest): Promise<ResponseSource>;
}

/** Opens a response with the limits that apply to it. `send` replaces HTTP. */
export const openWith = (
  request: ResponseRequest,
  send?: OpenResponseOptions['transport'],
): Promise<ResponseSource> =>
  openResponse({
    transport: send,
    ...request,
    // Without streaming, the status arrives together with the complete response.
    timeouts: request.body.stream === true ? request.timeouts : { total: request.timeouts.total },
  });

export const httpTransport: ResponseTransport = { open: openWith };
