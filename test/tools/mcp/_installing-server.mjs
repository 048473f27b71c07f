// Writes a file every 50 milliseconds, as an installation does, and then becomes the fixture server. It reads no input before.
// Its last file is written when there is no file "hold". Arguments: the folder, the number of files and the mode of the
// fixture server.
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [folder = '.', count = '20', mode = 'plain'] = process.argv.slice(2);
const pause = () => new Promise(resolve => setTimeout(resolve, 50));
/** The test has removed the folder when it has ended. */
const write = (name, text = '') => {
  try {
    writeFileSync(path.join(folder, name), text);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    process.exit(0);
  }
};
// npm goes on if its output has no reader.
process.stderr.on('error', () => {});
write('pid', String(process.pid));
for (let index = 1; index <= Number(count); index++) {
  await pause();
  process.stderr.write(`package ${index}\n`);
  write(`package-${index}`);
}
while (existsSync(path.join(folder, 'hold'))) await pause();
write('installed');
process.argv[2] = mode;
await import('./_fixture-server.mjs');
