import type { McpFormIssue } from './features/argument-issues.js';

/**
 * Checks an answer to a form before the server receives it, for example one that a page has sent, so that the user can
 * correct it. Fields that the form does not have are issues, and so is a form that cannot be read. A pattern that cannot be
 * followed in linear time is left to the server.
 *
 * @param form The `requestedSchema` that `onElicitation` has received.
 * @param content The `content` of the answer.
 */
export async function findFormIssues(form: object, content: unknown = {}): Promise<readonly McpFormIssue[]> {
  const { compareWithForm } = await import('./features/argument-issues.js');
  return compareWithForm(form, content);
}
