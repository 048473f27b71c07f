// Loaded before the worker of the recipe. Reports each step of DBOS before and after it is recorded.
import { createRequire } from 'node:module';

const { DBOS } = createRequire(process.argv[1])('@dbos-inc/dbos-sdk');
const runStep = DBOS.runStep.bind(DBOS);

const reach = (turn, point) =>
  fetch(`${process.env.SERVICES_URL}/reach`, { method: 'POST', body: JSON.stringify({ turn, point }) });

DBOS.runStep = async (run, options) => {
  const turn = DBOS.workflowID;
  // DBOS numbers a step when it is called.
  const result = await runStep(async () => {
    const value = await run();
    await reach(turn, `before the record of ${options.name}`);
    return value;
  }, options);
  await reach(turn, `after the record of ${options.name}`);
  return result;
};
