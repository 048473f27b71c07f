import { useState } from 'react';
import { describeFailure } from '../../shared/failure.js';
import { CodeField } from '../ui/field.js';
import { addServers } from './new-server.js';

export interface NewServerFormProps {
  /** The text of the configuration. */
  readonly config: string;
  /** Receives the text with the new servers. */
  readonly onAdd: (config: string) => void;
}

const empty = { source: '', name: '', values: '' };

const fields = [
  {
    key: 'source',
    label: 'URL, command or JSON',
    hint: "For example https://mcp.example.com/mcp, or npx -y a-package, or what a server's documentation shows.",
  },
  { key: 'name', label: 'Name', hint: 'Without one, the address or the command suggests it.' },
  {
    key: 'values',
    label: 'Headers or variables',
    hint: 'One in each line: Name: value for a URL, NAME=value for a command.',
  },
] as const;

/** Adds a server to the configuration: from a URL, a command line, or JSON of the documentation of a server. */
export function NewServerForm({ config, onAdd }: NewServerFormProps) {
  const [input, setInput] = useState(empty);
  const [problem, setProblem] = useState<string>();
  return (
    <form
      className="schema-form"
      aria-label="New server"
      onSubmit={event => {
        event.preventDefault();
        try {
          onAdd(addServers(config, input));
          setInput(empty);
          setProblem(undefined);
        } catch (error) {
          setProblem(describeFailure(error));
        }
      }}
    >
      {fields.map(({ key, label, hint }) => (
        <CodeField
          key={key}
          label={label}
          hint={hint}
          problem={key === 'source' ? problem : undefined}
          rows={key === 'name' ? 1 : 2}
          value={input[key]}
          onChange={text => setInput({ ...input, [key]: text })}
        />
      ))}
      <div className="button-row">
        <button type="submit" className="button" disabled={input.source.trim() === ''}>
          Add to the configuration
        </button>
      </div>
    </form>
  );
}
