import { joinSentences, messageOf } from './errors.js';

/** Observers whose failure has been reported. */
const reported = new WeakSet<object>();

/**
 * Calls a function of the application that must not change what it observes. An error it throws, and a promise or thenable
 * that it rejects, is ignored; the first failure of each function is reported on the console. Nothing waits for a promise.
 *
 * @returns the value of the function. Undefined if it has failed or does not exist.
 */
export function inform<Args extends readonly unknown[], Result>(
  observer: ((...args: Args) => Result) | undefined,
  ...args: Args
): Result | undefined {
  if (observer === undefined) return undefined;
  try {
    const result = observer(...args);
    // A promise of another realm and a thenable are not instances of `Promise`.
    if (typeof result === 'object' && result !== null && 'then' in result)
      Promise.resolve(result).catch((error: unknown) => report(observer, error));
    return result;
  } catch (error) {
    report(observer, error);
    return undefined;
  }
}

function report(observer: object, error: unknown): void {
  if (reported.has(observer)) return;
  reported.add(observer);
  try {
    const name = 'name' in observer && observer.name !== '' ? ` \`${String(observer.name)}\`` : '';
    const failure = `kelivo-responses: The callback${name} failed: ${messageOf(error)}`;
    console.warn(joinSentences(failure, 'Its errors are ignored, and this is the only report.'));
  } catch {
    // Neither the error nor the console may break what is observed.
  }
}
