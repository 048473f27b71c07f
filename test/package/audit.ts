// `npm audit` of what the package brings along. Ends with 1 where a dependency has a known fault. A registry that keeps no
// list of faults cannot be asked; then that is said, and nothing is claimed.
import { spawnSync } from 'node:child_process';
import { root } from './manifest.js';

interface AuditReport {
  readonly metadata?: { readonly vulnerabilities?: { readonly total?: number } };
  /** Why there is no report. */
  readonly message?: string;
  readonly error?: { readonly summary?: string };
}

const { stdout, stderr } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: root,
  encoding: 'utf8',
});
const report = read(stdout);
const total = report.metadata?.vulnerabilities?.total;

if (total === 0) {
  console.log('npm audit: no known fault in the runtime dependencies');
} else if (total === undefined) {
  const reason = report.message ?? report.error?.summary ?? stderr.trim();
  console.log(`npm audit: not done, the registry gives no answer (${reason})`);
} else {
  console.error(stdout);
  console.error(`Expected no known fault in the runtime dependencies, got ${total}. See the report above.`);
  process.exitCode = 1;
}

function read(text: string): AuditReport {
  try {
    return JSON.parse(text) as AuditReport;
  } catch {
    return {};
  }
}
