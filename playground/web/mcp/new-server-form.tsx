import { useRef, useState } from 'react';
import { describeFailure } from '../../shared/failure.js';
import { forgetInput, useKept } from '../page/kept-input.js';
import type { PageHook } from '../page/use-page.js';
import { CodeField } from '../ui/field.js';
import { useConfigChange } from './confirm-commands.js';
import { addServers, type NewServerInput } from './new-server.js';

export interface NewServerFormProps {
  readonly page: Pick<PageHook, 'servers' | 'replaceServers'>;
  /** Receives the name of the new server, which connects then. */
  readonly onAdded: (name: string) => void;
  readonly onClose: () => void;
}

const KEPT = 'new server';

const details = [
  { key: 'name', label: 'Name', hint: 'Without one, the address or the command suggests it.' },
  {
    key: 'values',
    label: 'Headers or variables',
    hint: 'One in each line: Name: value for a URL, NAME=value for a command.',
  },
] as const;

/** Adds a server from a URL, a command line, or JSON of the documentation of a server, and connects it. */
export function NewServerForm({ page, onAdded, onClose }: NewServerFormProps) {
  const [input, setInput] = useKept<NewServerInput>(KEPT, () => ({ source: '', name: '', values: '' }));
  const [unread, setUnread] = useState<string>();
  /** The server that is saved. */
  const added = useRef<string>(undefined);
  const close = (): void => {
    forgetInput(KEPT);
    onClose();
  };
  const { save, problem, isSaving, dialog } = useConfigChange(page, () => {
    forgetInput(KEPT);
    if (added.current !== undefined) onAdded(added.current);
  });
  const submit = (): void => {
    try {
      const { config, names } = addServers(page.servers?.config ?? '', input);
      setUnread(undefined);
      added.current = names[0];
      save(config);
    } catch (error) {
      setUnread(describeFailure(error));
    }
  };
  return (
    <section className="config-editor" aria-label="New server">
      <h2>Add a server</h2>
      {dialog}
      <form
        className="schema-form"
        onSubmit={event => {
          event.preventDefault();
          submit();
        }}
      >
        <CodeField
          label="URL, command or JSON"
          hint="For example https://mcp.example.com/mcp, or npx -y a-package, or what a server's documentation shows. A program starts only after you have confirmed it."
          problem={unread ?? problem}
          rows={3}
          autoFocus
          value={input.source}
          onChange={source => setInput({ ...input, source })}
        />
        <details open={input.name !== '' || input.values !== '' || undefined}>
          <summary>Name, headers or variables</summary>
          <div className="schema-form">
            {details.map(({ key, label, hint }) => (
              <CodeField
                key={key}
                label={label}
                hint={hint}
                rows={key === 'name' ? 1 : 3}
                value={input[key]}
                onChange={text => setInput({ ...input, [key]: text })}
              />
            ))}
          </div>
        </details>
        <footer className="button-row">
          <button type="submit" className="button primary" disabled={isSaving || input.source.trim() === ''}>
            {isSaving ? 'Connecting …' : 'Connect'}
          </button>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
        </footer>
      </form>
    </section>
  );
}
