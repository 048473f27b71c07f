const questions = [
  {
    title: 'Two tools in sequence',
    text: 'First get the sum of 17 and 25, then count the words in "the loop runs the tools and streams every round".',
  },
  { title: 'An image from an MCP server', text: 'Show me the get-tiny-image, please.' },
  {
    title: 'A long-running tool',
    // The emulator fills required arguments only, so the text asks for none of the optional ones.
    text: 'Call trigger-long-running-operation with its defaults.',
  },
  { title: 'A tool that requires approval', text: 'write_file' },
];

export interface EmptyStateProps {
  readonly onAsk: (text: string) => void;
  /** Folder that the MCP file server has access to. */
  readonly filesFolder: string | undefined;
  readonly isCompared?: boolean;
}

/** Example questions for an empty conversation. */
export function EmptyState({ onAsk, filesFolder, isCompared = false }: EmptyStateProps) {
  const toText = (text: string): string =>
    text === 'write_file'
      ? `write_file with path "${filesFolder}/hello.txt" and content "Hello from the playground."`
      : text;
  return (
    <div className="empty-state">
      <h2>{isCompared ? 'Compare both providers' : 'See what happens in a turn'}</h2>
      <p>
        Questions go to the endpoint of the setup. The emulator needs no key: its model calls the tools that
        your message names.
      </p>
      <p>
        Kelivo is this package. Official is <code>@ai-sdk/openai</code>, which gets the same question and the
        same tools.
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
