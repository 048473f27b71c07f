/** Runs the steps of `npm start` before the playground, and prints the time of each: the first one takes minutes. */
import { runSteps } from './steps.js';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

process.exitCode = await runSteps([
  { title: 'Building the package', command: [process.execPath, '.build.mjs'] },
  {
    title: 'Checking the packages of the playground',
    command: [process.execPath, '.install.mjs', 'playground'],
  },
  { title: 'Building the page', command: [npm, 'run', 'build:page', '--silent', '--prefix', 'playground'] },
]);
