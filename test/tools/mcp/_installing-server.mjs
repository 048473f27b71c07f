// Writes a file every 50 milliseconds, as an installation does, and then becomes the fixture server. It reads no input before.
// Arguments: the folder, the number of files and the mode of the fixture server.
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const [folder = '.', count = '20', mode = 'plain'] = process.argv.slice(2);
// npm goes on if its output has no reader.
process.stderr.on('error', () => {});
writeFileSync(path.join(folder, 'pid'), String(process.pid));
for (let index = 1; index <= Number(count); index++) {
  await new Promise(resolve => setTimeout(resolve, 50));
  process.stderr.write(`package ${index}\n`);
  writeFileSync(path.join(folder, `package-${index}`), '');
}
writeFileSync(path.join(folder, 'installed'), '');
process.argv[2] = mode;
await import('./_fixture-server.mjs');
