import type { JsonObject } from '../json-object.js';

/** An error as Google's APIs answer it. */
export interface GoogleError {
  /** The HTTP status. */
  readonly code: number;
  readonly message: string;
  readonly status: string;
}

export const toGoogleErrorBody = (error: GoogleError): JsonObject => ({ error });

export const invalidArgument = (message: string): GoogleError => ({
  code: 400,
  message,
  status: 'INVALID_ARGUMENT',
});

/** What the API says with a status, https://ai.google.dev/gemini-api/docs/troubleshooting. */
export const toStatusError = (code: number): GoogleError => {
  const [status, message] = knownStatuses[code] ?? [
    'UNKNOWN',
    `The request was refused with status ${code}.`,
  ];
  return { code, message, status };
};

const knownStatuses: Readonly<Record<number, readonly [status: string, message: string]>> = {
  429: ['RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
  500: [
    'INTERNAL',
    'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
  ],
  503: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
};
