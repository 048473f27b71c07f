import type { Reporter, TestModule } from 'vitest/node';
import type { ValidRequests } from './testing/_contract.js';

/** Prints the names of skipped tests, of tests that passed at the second attempt, and `N passed, N failed, N skipped` at the end of the output. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const notes: string[] = [];
    const valid: Record<string, number> = {};
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        const { validRequests = {} } = test.meta() as { validRequests?: ValidRequests };
        for (const [name, one] of Object.entries(validRequests)) valid[name] = (valid[name] ?? 0) + one;
        if (state !== 'pending') count[state]++;
        if (state === 'skipped') notes.push(`skipped: ${test.fullName}\n`);
        if (test.diagnostic()?.flaky === true) notes.push(`passed at the second attempt: ${test.fullName}\n`);
      }
    }
    const { requests = 0, frames = 0, ...contained } = valid;
    if (requests + frames > 0) {
      const list = Object.entries(contained).map(([name, one]) => `, ${one} of them with ${name}`);
      notes.push(
        `valid by the published documents: ${requests} requests and ${frames} frames${list.join('')}\n`,
      );
    }
    // Prints after the summary of the default reporter.
    process.once('exit', () => {
      process.stdout.write(
        `\n${notes.join('')}${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ''}\n`,
      );
    });
  }
}
