// Loaded before the worker of the recipe. Reports each step of Restate before and after it is recorded.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const sdk = path.join(
  path.dirname(process.argv[1]),
  'node_modules/@restatedev/restate-sdk/dist/context_impl.js',
);
const { ContextImpl } = await import(pathToFileURL(sdk).href);
const { run } = ContextImpl.prototype;

const reach = (turn, point) =>
  fetch(`${process.env.SERVICES_URL}/reach`, { method: 'POST', body: JSON.stringify({ turn, point }) });

ContextImpl.prototype.run = async function (name, action, options) {
  // Restate numbers a step when it is called.
  const result = await run.call(
    this,
    name,
    async () => {
      const value = await action();
      await reach(this.key, `before the record of ${name}`);
      return value;
    },
    options,
  );
  await reach(this.key, `after the record of ${name}`);
  return result;
};
