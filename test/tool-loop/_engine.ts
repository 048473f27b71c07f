import { AsyncLocalStorage } from 'node:async_hooks';
import type { ToolLoopStep } from '../../src/tool-loop/durable/steps.js';
import { toolLoopCallOptions } from '../../src/tool-loop/index.js';

/** A record of a step: the result as JSON text. */
export interface StepRecord {
  readonly name: string;
  readonly json: string;
}

export interface Engine {
  readonly step: ToolLoopStep;
  /** The names of the steps in the order in which they were called. */
  readonly names: readonly string[];
}

/** The step that is running. */
const inside = new AsyncLocalStorage<string>();

/**
 * A workflow engine that is as strict as the real ones together: it identifies steps by their position, compares their
 * names, keeps JSON only, and rejects steps inside of steps and names that are used twice. A step whose function rejects,
 * or that `dies` before it is recorded, leaves no record.
 */
export function createEngine(
  records: (StepRecord | undefined)[],
  { dies = () => false }: { dies?: (name: string) => boolean } = {},
): Engine {
  const names: string[] = [];
  let isDead = false;
  return {
    names,
    async step<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
      const outer = inside.getStore();
      if (outer !== undefined) throw new Error(`The step "${name}" was called inside of "${outer}".`);
      if (names.includes(name)) throw new Error(`The step "${name}" was called twice.`);
      const position = names.push(name) - 1;
      const record = records[position];
      if (record !== undefined) {
        if (record.name !== name) throw new Error(`Expected the step "${record.name}", got "${name}".`);
        return JSON.parse(record.json) as Result;
      }
      const result = await inside.run(name, run);
      // A dead process neither records nor continues.
      isDead ||= dies(name);
      if (isDead) return new Promise<never>(() => {});
      records[position] = { name, json: JSON.stringify(result) };
      return JSON.parse(JSON.stringify(result)) as Result;
    },
  };
}

/** Returns the options of a call whose steps an engine records. */
export const withStep = (step: ToolLoopStep, { turnId }: { turnId?: string } = {}) => ({
  providerOptions: { kelivo: toolLoopCallOptions({ step, ...(turnId !== undefined && { turnId }) }) },
});
