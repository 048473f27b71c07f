import type { LanguageModelV2FunctionTool } from '@ai-sdk/provider';
import type { ToolStub } from '../tools/to-tool-stubs.js';

const mark = { kelivo: { stub: true } };

/** Declarations of tools that say of themselves that the loop alone can run them. Hosts pass the mark on to models. */
export const markToolStubs = (stubs: Readonly<Record<string, ToolStub>>): Record<string, ToolStub> =>
  Object.fromEntries(Object.entries(stubs).map(([name, stub]) => [name, { ...stub, providerOptions: mark }]));

export const isToolStub = ({ providerOptions }: LanguageModelV2FunctionTool): boolean =>
  providerOptions?.kelivo?.stub === true;
