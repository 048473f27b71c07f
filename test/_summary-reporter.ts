import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run's output with what was skipped, by names that say why, and `N passed, N failed, N skipped`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const skipped: string[] = [];
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') count[state]++;
        if (state === 'skipped') skipped.push(`skipped: ${test.fullName}\n`);
      }
    }
    // After the default reporter's own summary.
    process.once('exit', () => {
      process.stdout.write(
        `\n${skipped.join('')}${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ''}\n`,
      );
    });
  }
}
