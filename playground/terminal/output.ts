import { createMarkdownWriter, type Style, wrapWords } from './markdown-writer.js';
import type { Demo, Endpoint, InspectedServer } from './setup.js';
import type { DemoEvent, DemoUsage, ToolResultEvent } from './turn-events.js';
import { stripVTControlCharacters, styleText } from 'node:util';

/** Prints endpoint, model and tools before the first turn starts. */
export function printHeader(
  terminal: Terminal,
  { demo, modelId, hasLoop }: { demo: Demo; modelId: string; hasLoop: boolean },
): void {
  const row = (title: string, text: string): void => {
    terminal.write(title.padEnd(10), 'dim');
    terminal.line(text);
  };
  const { servers, notes } = demo.inspection;
  row('endpoint', describeEndpoint(demo.endpoint));
  row('model', modelId);
  row('mcp', servers.map(describeServer).join(', ') || 'no servers');
  row('local', demo.localTools.join(', '));
  if (!hasLoop) row('no loop', 'toolLoop is off: the model has the same tools, but nothing runs their calls');
  for (const { problem } of servers) {
    if (problem !== undefined) terminal.line(`warning: ${problem}`, 'yellow');
  }
  for (const note of notes) terminal.line(`note: ${note}`, 'dim');
  terminal.write('\n');
}

export function printQuestion(terminal: Terminal, question: string): void {
  terminal.line(`> ${question}`, 'bold');
  terminal.write('\n');
}

/** Writes an event as one line of JSON. */
export const toJsonLine = (event: object): string =>
  `${JSON.stringify(event, (_name, value: unknown) => (value instanceof Error ? value.message : value))}\n`;

function describeEndpoint({ address, isEmulator, hasKey }: Endpoint): string {
  if (isEmulator) return `${address} (emulator, needs no key)`;
  return `${address} (${hasKey ? 'key from OPENAI_API_KEY' : 'no key'})`;
}

const describeServer = ({ name, toolCount, problem }: InspectedServer): string =>
  problem === undefined ? `${name} (${count(toolCount, 'tool')})` : `${name} (failed)`;

/** Prints the events of a turn. The caller handles failures. */
export function createTurnPrinter(terminal: Terminal): (event: DemoEvent) => void {
  /** Key of the text block at the cursor. */
  let openBlock: string | undefined;

  function writeTo(block: string, text: string, style?: 'dim'): void {
    if (block !== openBlock) endBlock();
    openBlock = block;
    terminal.markdown(text, style);
  }

  function endBlock(): void {
    if (openBlock !== undefined) terminal.endMarkdown();
    openBlock = undefined;
  }

  return event => {
    if (event.type === 'text') return writeTo(`text ${event.id}`, event.text);
    if (event.type === 'reasoning') return writeTo(`reasoning ${event.id}`, event.text, 'dim');
    endBlock();
    switch (event.type) {
      case 'warning':
        return terminal.line(`warning: ${event.message}`, 'yellow');
      case 'round-start':
        return terminal.line(`── round ${event.round}`, 'bold');
      case 'tool-call':
        return terminal.line(`→ ${event.toolName} ${JSON.stringify(event.input)}`, 'cyan');
      case 'tool-result':
        return terminal.line(describeResult(event), event.isError ? 'red' : 'green');
      case 'round-end':
        return terminal.line(`── round ${event.round} ended: ${describeEnd(event)}`, 'dim');
      case 'finish': {
        const counts = `${count(event.rounds, 'round')}, ${count(event.toolCalls, 'tool call')}`;
        terminal.write('\n');
        terminal.line(`${counts}: ${describeEnd(event)}`, 'bold');
        if (event.unansweredCalls === 0) return;
        return terminal.line(
          `Nothing ran ${count(event.unansweredCalls, 'tool call')}: without the tool loop, your application runs each call, sends its result and asks again. Run the demo without --no-loop to compare.`,
          'yellow',
        );
      }
    }
  };
}

/** `1 round`, `2 rounds` */
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

function describeResult({ toolName, output, isError, duration }: ToolResultEvent): string {
  const time = duration === undefined ? '' : ` (${Math.round(duration)} ms)`;
  return `${isError ? '✗' : '←'} ${toolName}${time} ${summarizeOutput(output)}`;
}

interface End {
  readonly finishReason: string;
  readonly duration: number;
  readonly usage: DemoUsage;
}

function describeEnd({ finishReason, duration, usage }: End): string {
  const { inputTokens = '?', outputTokens = '?', reasoningTokens } = usage;
  const reasoning = reasoningTokens ? ` (${reasoningTokens} reasoning)` : '';
  const seconds = (duration / 1000).toFixed(1);
  return `${finishReason}, ${seconds} s, usage ${inputTokens} tokens in, ${outputTokens} out${reasoning}`;
}

/** Summarizes a tool output in one line. Images and audio are replaced by their media types. */
export function summarizeOutput(
  output: unknown,
  { maxCharacters = 160 }: { maxCharacters?: number } = {},
): string {
  const text = toText(output).replace(/\s+/g, ' ').trim();
  const characters = [...text];
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : text;
}

function toText(output: unknown): string {
  if (typeof output === 'string') return output;
  if (output instanceof Error) return output.message;
  const parts = isRecord(output) && Array.isArray(output.content) ? output.content : undefined;
  if (parts === undefined) return JSON.stringify(output) ?? String(output);
  return parts.map(part => (isRecord(part) ? toPartText(part) : String(part))).join(' ');
}

const toPartText = ({ type, text, mimeType }: Record<string, unknown>): string =>
  typeof text === 'string'
    ? text
    : `[${[type, mimeType].filter(value => typeof value === 'string').join(' ')}]`;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The terminal. Control characters are removed from everything that is written. */
export interface Terminal {
  /** Writes text without a line end. */
  write(text: string, style?: Style): void;
  /** Writes one line. All white space in the text becomes single spaces. */
  line(text: string, style?: Style): void;
  /** Writes a chunk of Markdown. */
  markdown(text: string, style?: Style): void;
  /** Ends a text and its line. */
  endMarkdown(): void;
}

export interface TerminalOptions {
  readonly hasColours: boolean;
  /**
   * Width of a line in cells. Lines are wrapped between words, and Markdown is rendered.
   * @default no limit, and Markdown is written as it is, for pipes and files
   */
  readonly columns?: number;
}

export function createTerminal(
  stream: { write(text: string): unknown },
  { hasColours, columns }: TerminalOptions,
): Terminal {
  const markdown =
    columns === undefined
      ? undefined
      : createMarkdownWriter({ write: text => stream.write(text), columns, hasColours });

  function put(text: string, style: Style | undefined, end = ''): void {
    const styled =
      hasColours && style !== undefined && text !== ''
        ? styleText(style, text, { validateStream: false })
        : text;
    stream.write(styled + end);
  }
  return {
    write: (text, style) => put(toSafeText(text), style),
    line(text, style) {
      const line = toLine(text);
      put(columns === undefined ? line : wrapWords(line, { columns, indent: '  ' }), style, '\n');
    },
    markdown(text, style) {
      if (markdown === undefined) put(toSafeText(text), style);
      else markdown.push(toSafeText(text), style);
    },
    endMarkdown() {
      markdown?.end();
      put('', undefined, '\n');
    },
  };
}

/** Converts text to one line that is safe to print. */
const toLine = (text: string): string => toSafeText(text).replace(/\s+/g, ' ').trimEnd();

/**
 * Removes escape sequences and control characters except line feeds and tabs. A carriage return could overwrite a line,
 * and a bidirectional control could reverse one.
 */
const toSafeText = (text: string): string => stripVTControlCharacters(text).replace(unsafe, '');

const unsafe = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;
