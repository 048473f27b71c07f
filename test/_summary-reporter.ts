import type { Reporter, TestModule } from 'vitest/node';

/** Prints the names of skipped tests, of tests that passed at the second attempt, and `N passed, N failed, N skipped` at the end of the output. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const notes: string[] = [];
    let validRequests = 0;
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        validRequests += Number((test.meta() as { validRequests?: number }).validRequests ?? 0);
        if (state !== 'pending') count[state]++;
        if (state === 'skipped') notes.push(`skipped: ${test.fullName}\n`);
        if (test.diagnostic()?.flaky === true) notes.push(`passed at the second attempt: ${test.fullName}\n`);
      }
    }
    if (validRequests > 0)
      notes.push(`requests that are valid by the published documents: ${validRequests}\n`);
    // Prints after the summary of the default reporter.
    process.once('exit', () => {
      process.stdout.write(
        `\n${notes.join('')}${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ''}\n`,
      );
    });
  }
}
