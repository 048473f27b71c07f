import { type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import { readToken, signIn } from './page/session.js';
import { Field } from './ui/field.js';

/** Asks a tab without a valid token for the address that the terminal shows. */
export function SignIn() {
  const dialog = useRef<HTMLDialogElement>(null);
  // A modal dialog is also above dialogs that were open before.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element?.open === false) element.showModal();
    return () => element?.close();
  }, []);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setProblem(signIn(text));
    setText('');
  };
  const rejection =
    readToken() !== undefined
      ? `The token of this tab does not belong to the playground on port ${location.port}. It was restarted, or has a new token: the terminal shows its last address.`
      : undefined;
  const example = `The playground runs at ${location.origin}/#token=…`;
  return (
    <dialog
      ref={dialog}
      className="sign-in"
      aria-labelledby="sign-in-title"
      onClose={() => dialog.current?.showModal()}
    >
      <h1 id="sign-in-title">Sign in to the playground on port {location.port}</h1>
      <p>
        It belongs to whoever started it. The terminal shows a line like this one: open its address, or paste
        it here.
      </p>
      <pre>{example}</pre>
      <form onSubmit={submit}>
        <Field label="Address or token" problem={problem ?? rejection}>
          {props => (
            <input
              {...props}
              className="input"
              autoComplete="off"
              spellCheck={false}
              autoFocus
              value={text}
              onChange={event => setText(event.target.value)}
            />
          )}
        </Field>
        <button type="submit" className="button primary" disabled={text.trim() === ''}>
          Sign in
        </button>
      </form>
      <p className="quiet">Each tab signs in for itself, and is signed out when you close it.</p>
    </dialog>
  );
}
