import { useState } from 'react';
import { forgetInput, useKept } from '../page/kept-input.js';
import type { PageHook } from '../page/use-page.js';
import { CodeField } from '../ui/field.js';
import { readJson } from '../ui/json-text.js';
import { useConfigChange } from './confirm-commands.js';

/** Editor for the `mcpServers` JSON. New programs require a confirmation before they start. */
export function ConfigEditor(props: { page: PageHook; onClose: () => void }) {
  const { page } = props;
  const [text, setText] = useKept('configuration of servers', () => page.servers?.config ?? '');
  const [syntax, setSyntax] = useState<string>();
  const onClose = (): void => {
    forgetInput('configuration of servers');
    props.onClose();
  };
  const { save, problem, isSaving, dialog } = useConfigChange(page, onClose);
  return (
    <section className="config-editor" aria-label="Configuration of the MCP servers">
      <h2>Configuration</h2>
      {dialog}
      <form
        onSubmit={event => {
          event.preventDefault();
          const read = readJson(text);
          setSyntax(read.problem);
          if (read.problem === undefined) save(text);
        }}
      >
        <CodeField
          label="Configuration"
          hint="Same format as in Claude Desktop, Cursor or VS Code: command and args, or url and headers. Dots keep a stored secret."
          problem={syntax ?? problem}
          rows={24}
          value={text}
          onChange={setText}
        />
        <footer className="button-row">
          <button type="submit" className="button primary" disabled={isSaving}>
            {isSaving ? 'Saving …' : 'Save'}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </footer>
      </form>
    </section>
  );
}
