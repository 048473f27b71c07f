import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The programs of `_apps`. */
type App = 'express' | 'agent' | 'provider';

export interface Started {
  readonly child: ChildProcess;
  /** Asks the application, and returns the text that it received, if it is a server. */
  readonly answered: Promise<string | undefined>;
}

/** Starts an application that knows the playground by its environment only. */
export function startApp(app: App, question: string, variables: Record<string, string>): Started {
  const file = fileURLToPath(new URL(`_apps/${app}.mjs`, import.meta.url));
  const child = spawn(process.execPath, [file, question], {
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(() => undefined);
  const ask = async (): Promise<string> => {
    const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const headers = { 'content-type': 'text/plain' };
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: question })).text();
  };
  const answered = app === 'express' ? ask() : ended;
  answered.catch(() => {}); // The test may kill the process.
  return { child, answered };
}
