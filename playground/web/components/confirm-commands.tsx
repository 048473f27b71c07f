import type { ConfirmationNeeded } from '../../shared/playground-state.js';

export interface ConfirmCommandsProps {
  readonly question: ConfirmationNeeded;
  readonly onConfirm: () => void;
  readonly onBack: () => void;
}

/** Shows the programs that would start on this computer, and starts none without a yes. */
export function ConfirmCommands({ question, onConfirm, onBack }: ConfirmCommandsProps) {
  return (
    <div role="alertdialog" aria-label="Start these programs?">
      <p>These programs will run on this computer, with your rights. Start them only if you know them.</p>
      <dl className="commands">
        {question.needsConfirmation.map(({ name, commandLine }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{commandLine}</code>
            </dd>
          </div>
        ))}
      </dl>
      <footer className="button-row">
        <button type="button" className="button danger" onClick={onConfirm}>
          Start them
        </button>
        <button type="button" className="button" onClick={onBack}>
          Back
        </button>
      </footer>
    </div>
  );
}
