import * as z from 'zod/v4';
import { defineHostedTool, type ToolRun } from './define-hosted-tool.js';

export interface CustomToolArguments {
  /** The name the model sees. @default the name under which the tool is declared */
  name?: string;
  /** Tells the model what the tool does and what to write. */
  description?: string;
  /** What the text may be: anything, or what a grammar allows. @default { type: 'text' } */
  format?: { type: 'text' } | { type: 'grammar'; syntax: 'lark' | 'regex'; definition: string };
}

/** A tool of the host that takes free text in place of JSON: its input is a string. */
export const custom = <OUTPUT>(options: CustomToolArguments & ToolRun<string, OUTPUT>) =>
  defineHostedTool<string, OUTPUT, CustomToolArguments>({
    id: 'openai.custom',
    name: 'custom',
    inputSchema: z.string(),
  })(options);
