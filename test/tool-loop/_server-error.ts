import { APICallError } from '@ai-sdk/provider';

/** Creates the error that a model throws for an HTTP failure. */
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
