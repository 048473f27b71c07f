import { useState } from 'react';
import type { ConfirmationNeeded, NewProgram } from '../../shared/playground-state.js';
import type { PageHook } from '../page/use-page.js';
import { forgetInput, useKept } from '../page/kept-input.js';
import { Dialog } from '../ui/dialog.js';
import { CodeField, Field } from '../ui/field.js';
import { readJson } from '../ui/json-text.js';
import { NewServerForm } from './new-server-form.js';
import { describeFailure } from '../../shared/failure.js';

/** Editor for the `mcpServers` JSON. New programs require a confirmation before they start. */
export function ConfigEditor(props: { page: PageHook; onClose: () => void }) {
  const { page } = props;
  const [text, setText] = useKept('configuration of servers', () => page.servers?.config ?? '');
  const [problem, setProblem] = useState<string>();
  const [question, setQuestion] = useState<ConfirmationNeeded>();
  const [isSaving, setSaving] = useState(false);

  const onClose = (): void => {
    forgetInput('configuration of servers');
    props.onClose();
  };

  const save = async (code?: string): Promise<void> => {
    const { problem: syntax } = readJson(text);
    setProblem(syntax);
    if (syntax !== undefined) return;
    setSaving(true);
    try {
      const needed = await page.replaceServers(text, code);
      setQuestion(needed);
      if (needed === undefined) onClose();
    } catch (error) {
      setQuestion(undefined);
      setProblem(describeFailure(error));
    } finally {
      setSaving(false);
    }
  };
  return (
    <section className="config-editor" aria-label="Configuration of the MCP servers">
      <h2>Add or edit servers</h2>
      {question !== undefined && (
        <ConfirmCommands
          question={question}
          isSaving={isSaving}
          onConfirm={code => void save(code)}
          onBack={() => setQuestion(undefined)}
        />
      )}
      <NewServerForm config={text} onAdd={setText} />
      <form
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        <CodeField
          label="Configuration"
          hint="Same format as in Claude Desktop, Cursor or VS Code: command and args, or url and headers. Dots keep a stored secret."
          problem={problem}
          rows={16}
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

export interface ConfirmCommandsProps {
  readonly question: ConfirmationNeeded;
  readonly isSaving: boolean;
  readonly onConfirm: (code: string) => void;
  readonly onBack: () => void;
}

/** Asks for confirmation before programs are started on this computer. */
function ConfirmCommands({ question, isSaving, onConfirm, onBack }: ConfirmCommandsProps) {
  const [code, setCode] = useState('');
  return (
    <Dialog title="Start these programs?" role="alertdialog" onClose={onBack}>
      <p>These programs run on this computer with your permissions. Start them only if you trust them.</p>
      <dl className="commands">
        {question.needsConfirmation.map(program => (
          <div key={program.name}>
            <dt>{program.name}</dt>
            <dd>
              <ProgramDetails program={program} />
            </dd>
          </div>
        ))}
      </dl>
      <form
        onSubmit={event => {
          event.preventDefault();
          onConfirm(code);
        }}
      >
        <Field
          label="Confirmation code"
          hint="The terminal in which the playground runs shows it, with the same programs."
          problem={question.refusal}
        >
          {props => (
            <input
              {...props}
              className="input"
              autoComplete="off"
              spellCheck={false}
              value={code}
              onChange={event => setCode(event.target.value)}
            />
          )}
        </Field>
        <footer className="button-row">
          <button type="submit" className="button danger" disabled={isSaving || code.trim() === ''}>
            Start
          </button>
          <button type="button" className="button" onClick={onBack}>
            Back
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Everything that decides what a program runs. Values are not masked: variables such as `NODE_OPTIONS` run code. */
function ProgramDetails({ program: { command, args, env, cwd } }: { program: NewProgram }) {
  const rows: readonly (readonly [string, string])[] = [
    ['Program', command],
    ...args.map((arg, index) => [`Argument ${index + 1}`, arg] as const),
    ...Object.entries(env).map(([name, value]) => [`Variable ${name}`, value] as const),
    ...(cwd === undefined ? [] : [['Folder', cwd] as const]),
  ];
  return (
    <table>
      <tbody>
        {rows.map(([title, value]) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            <td>
              <code>{value === '' ? '(empty)' : value}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
