// Prints the number of its child processes while a server over stdio is open, and when none is left after `close()`.
import { execFileSync } from 'node:child_process';
import { createMcpTools } from '../../../src/tools/mcp/index.js';

const countChildren = (): number => {
  const output = execFileSync('ps', ['-o', 'pid=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  return output.split('\n').filter(line => line.trim() !== '').length - 1; // without `ps`
};

const tools = createMcpTools({ fixture: JSON.parse(process.argv[2] ?? '') });
await tools.listTools();
console.log(countChildren());
await tools.close();
while (countChildren() > 0) await new Promise(resolve => setTimeout(resolve, 20));
console.log(countChildren());
