import { type ReactNode, useRef, useState } from 'react';
import { describeFailure } from '../../shared/failure.js';
import type { ConfirmationNeeded, NewProgram } from '../../shared/playground-state.js';
import type { PageHook } from '../page/use-page.js';
import { Dialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';

export interface ConfigChange {
  /** Replaces the configuration, after a confirmation if it starts new programs. */
  save(text: string): void;
  readonly problem: string | undefined;
  readonly isSaving: boolean;
  /** The question that waits for the user. */
  readonly dialog: ReactNode;
}

/** @param onSaved Called when the configuration has been applied. */
export function useConfigChange(page: Pick<PageHook, 'replaceServers'>, onSaved: () => void): ConfigChange {
  const [pending, setPending] = useState<{ text: string; question: ConfirmationNeeded }>();
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const send = async (text: string, code?: string): Promise<void> => {
    setSaving(true);
    setProblem(undefined);
    try {
      const question = await page.replaceServers(text, code);
      setPending(question && { text, question });
      if (question === undefined) onSaved();
    } catch (error) {
      setPending(undefined);
      setProblem(describeFailure(error));
    } finally {
      setSaving(false);
    }
  };
  return {
    save: text => void send(text),
    problem,
    isSaving,
    dialog: pending && (
      <ConfirmCommands
        question={pending.question}
        isSaving={isSaving}
        onConfirm={code => void send(pending.text, code)}
        onBack={() => setPending(undefined)}
      />
    ),
  };
}

interface ConfirmCommandsProps {
  readonly question: ConfirmationNeeded;
  readonly isSaving: boolean;
  readonly onConfirm: (code: string) => void;
  readonly onBack: () => void;
}

/** Asks for confirmation before programs are started on this computer. */
function ConfirmCommands({ question, isSaving, onConfirm, onBack }: ConfirmCommandsProps) {
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  return (
    <Dialog title="Start these programs?" role="alertdialog" firstField={field} onClose={onBack}>
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
              ref={field}
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
