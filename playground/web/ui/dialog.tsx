import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Icon } from './icon.js';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** @default false */
  readonly isWide?: boolean;
  /** @default that of the element */
  readonly role?: 'alertdialog';
  readonly children: ReactNode;
}

/**
 * A modal dialog that is open while it is mounted. The `<dialog>` of the browser traps the focus, closes with Escape and returns
 * the focus, for which a library would add 21 KB.
 */
export function Dialog({ title, onClose, isWide = false, role, children }: DialogProps) {
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // A layout effect ends while the element is still in the page, so that closing it returns the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element?.open === false) element.showModal();
    // A dialog can open while the user types. The next key must not press its first button.
    heading.current?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide ? 'dialog wide' : 'dialog'}
      role={role}
      aria-labelledby={titleId}
      onCancel={event => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={titleId} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
