import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react';
import { Icon } from './icon.js';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** @default false */
  readonly isWide?: boolean;
  /** @default that of the element */
  readonly role?: 'alertdialog';
  /** A text field that has the focus first, in which no key does harm. @default the title */
  readonly firstField?: RefObject<HTMLInputElement | null>;
  readonly children: ReactNode;
}

/**
 * A modal dialog that is open while it is mounted. The `<dialog>` of the browser traps the focus, closes with Escape and returns
 * the focus, for which a library would add 21 KB.
 */
export function Dialog({ title, onClose, isWide = false, role, firstField, children }: DialogProps) {
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // A layout effect ends while the element is still in the page, so that closing it returns the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element?.open === false) element.showModal();
    // A dialog can open while the user types. The next key must not press its first button.
    (firstField ?? heading).current?.focus();
    return () => element?.close();
  }, [firstField]);
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
