import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';

const settingOf = (name: string): string =>
  execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', cwd: tmpdir() }).trim();

/** Settings with which a process with an empty home reaches the registry of this machine. */
export const network = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => /cert|_ca_|proxy/i.test(name))),
  npm_config_registry: settingOf('registry'),
  ...(settingOf('cafile') !== 'null' && { npm_config_cafile: settingOf('cafile') }),
  npm_config_update_notifier: 'false',
};
