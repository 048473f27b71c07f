import { APICallError } from '@ai-sdk/provider';

/** An HTTP failure as a model throws it. */
export const serverError = ({
  statusCode = 500,
  responseHeaders,
}: {
  statusCode?: number;
  responseHeaders?: Record<string, string>;
} = {}): APICallError =>
  new APICallError({
    message: 'The server had an error.',
    url: 'http://127.0.0.1/v1/responses',
    requestBodyValues: {},
    statusCode,
    responseHeaders,
  });
