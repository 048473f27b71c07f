import type { Reporter, TestModule } from 'vitest/node';
import type { ValidRequests } from './testing/_contract.js';

/** The number of files to print with their times, the slowest first: `SLOWEST=20 npm test`. */
const SLOWEST = Number(process.env.SLOWEST ?? 0);

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
    const files = modules.map(module => ({ file: module.relativeModuleId, ...module.diagnostic() }));
    const slowest = files
      .map(({ file, duration, collectDuration }) => ({ file, time: duration + collectDuration }))
      .sort((one, other) => other.time - one.time)
      .slice(0, SLOWEST);
    for (const { file, time } of slowest) notes.push(`${(time / 1000).toFixed(1).padStart(6)} s ${file}\n`);
    // Prints after the summary of the default reporter.
    process.once('exit', () => {
      process.stdout.write(
        `\n${notes.join('')}${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ''}\n`,
      );
    });
  }
}
