const questions = [
  {
    title: 'Two tools, one after the other',
    text: 'First get the sum of 17 and 25, then count the words in "the loop runs the tools and streams every round".',
  },
  { title: 'An image from an MCP server', text: 'Show me the get-tiny-image, please.' },
  {
    title: 'A tool that takes its time',
    text: 'Call trigger-long-running-operation with a duration of 5 and 10 steps.',
  },
  { title: 'A tool that has to be allowed', text: 'write_file' },
];

export interface EmptyStateProps {
  readonly onAsk: (text: string) => void;
  /** The folder that the file server may touch. */
  readonly filesFolder: string | undefined;
  readonly isCompared?: boolean;
}

/** What there is to try before anything was asked. */
export function EmptyState({ onAsk, filesFolder, isCompared = false }: EmptyStateProps) {
  const toText = (text: string): string =>
    text === 'write_file'
      ? `write_file with path "${filesFolder}/hello.txt" and content "Hello from the playground."`
      : text;
  return (
    <div className="empty-state">
      <h2>{isCompared ? 'Ask both providers the same' : 'See what happens behind an answer'}</h2>
      <p>
        Every question is answered by the endpoint of the setup. The emulator needs no key: its “model” calls
        the tools that your words name.
      </p>
      <ul>
        {questions.map(({ title, text }) => (
          <li key={title}>
            <button type="button" disabled={filesFolder === undefined} onClick={() => onAsk(toText(text))}>
              <strong>{title}</strong>
              <span>{toText(text)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
