// Runs `npm audit` for the runtime dependencies. Exits with 1 if one has a known vulnerability, and with 3 if the registry
// has no list of vulnerabilities. That stops a release, and not the checks of a machine without that service.
import { spawnSync } from 'node:child_process';
import { root } from './manifest.js';

interface AuditReport {
  readonly metadata?: { readonly vulnerabilities?: { readonly total?: number } };
  /** The reason for a missing report. */
  readonly message?: string;
  readonly error?: { readonly summary?: string };
}

const { stdout, stderr } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: root,
  encoding: 'utf8',
});
const report = parseReport(stdout);
const total = report.metadata?.vulnerabilities?.total;

if (total === 0) {
  console.log('npm audit: no known vulnerability in the runtime dependencies');
} else if (total === undefined) {
  const reason = report.message ?? report.error?.summary ?? stderr.trim();
  console.error(`npm audit: could not run, the registry returned no report (${reason})`);
  process.exitCode = 3;
} else {
  console.error(stdout);
  console.error(
    `Expected no known vulnerability in the runtime dependencies, got ${total}. See the report above.`,
  );
  process.exitCode = 1;
}

function parseReport(text: string): AuditReport {
  try {
    return JSON.parse(text) as AuditReport;
  } catch {
    return {};
  }
}
