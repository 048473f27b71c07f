import type { DemoEvent, DemoUsage, ToolResultEvent } from './demo-event.js';
import { summarizeOutput } from './summarize-output.js';
import type { Terminal } from './terminal.js';

/** Shows the events of a turn as they come. A failure is left to the caller. */
export function createTurnPrinter(terminal: Terminal): (event: DemoEvent) => void {
  /** The block of text that the cursor stands in. */
  let openBlock: string | undefined;

  function writeTo(block: string, text: string, style?: 'dim'): void {
    if (block !== openBlock) endBlock();
    openBlock = block;
    terminal.write(text, style);
  }

  function endBlock(): void {
    if (openBlock !== undefined) terminal.write('\n');
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
        return terminal.line(`${counts}: ${describeEnd(event)}`, 'bold');
      }
    }
  };
}

/** `1 round`, `2 rounds` */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

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
