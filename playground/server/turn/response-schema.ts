import { describeFailure } from '../../shared/failure.js';
import * as z from 'zod';

/** The JSON schema of a response. */
export interface ResponseSchema {
  readonly schema: Record<string, unknown>;
  /** Returns the first reason why a text is no instance of the schema. */
  check(text: string): string | undefined;
}

/**
 * Reads a JSON schema.
 *
 * @returns undefined for an empty text.
 * @throws Error if the text is no JSON schema of an object.
 */
export function openResponseSchema(text: string): ResponseSchema | undefined {
  if (text.trim() === '') return undefined;
  const schema = parse(text, 'Expected a JSON schema');
  if (typeof schema !== 'object' || schema === null || !('type' in schema) || schema.type !== 'object')
    throw new Error('Expected a JSON schema with "type": "object", which the API requires.');
  const validator = createValidator(schema);
  return {
    schema: schema as Record<string, unknown>,
    check(response) {
      let value: unknown;
      try {
        value = parse(response, 'Expected JSON that matches the schema');
      } catch (error) {
        return describeFailure(error);
      }
      const [issue] = validator.safeParse(value).error?.issues ?? [];
      return issue && `${issue.message}${issue.path.length > 0 ? ` at ${issue.path.join('.')}` : ''}`;
    },
  };
}

function createValidator(schema: object): z.ZodType {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    throw new Error(`Expected a JSON schema. ${describeFailure(error)}`, { cause: error });
  }
}

function parse(text: string, expected: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${expected}, got invalid JSON: ${describeFailure(error)}`, { cause: error });
  }
}
