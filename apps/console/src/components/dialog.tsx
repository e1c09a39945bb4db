import { useBlocker } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode, type SyntheticEvent } from 'react';
import { useText } from '../language/use-text.js';
import { Button, IconButton } from './button.js';
import { shared } from './text.js';

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  /** Something was typed that closing would lose: it is asked about first. */
  readonly isUnsaved?: boolean;
  readonly onClose: () => void;
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

/** The browser's own modal dialog: it holds the focus, closes by Escape, and gives the focus back. */
export function Dialog({ title, isWide = false, isUnsaved = false, onClose, footer, children }: DialogProps) {
  const words = useText(shared);
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isAsking, setIsAsking] = useState(false);
  /** What had the focus when it was asked. */
  const left = useRef<Element | null>(null);
  const leaving = useBlocker({
    // A dialog whose address is its own closes by going on within the screen.
    shouldBlockFn: ({ current, next, action }) => isUnsaved && (current.pathname !== next.pathname || !isOwnMove(action)),
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  });
  useEffect(() => {
    dialog.current?.showModal();
    // Otherwise the way out has the focus, which comes first.
    dialog.current?.querySelector<HTMLElement>('.inside :is(input, textarea, select, button)')?.focus();
  }, []);
  const ask = () => {
    left.current = document.activeElement;
    setIsAsking(true);
  };
  const close = () => (isUnsaved ? ask() : dialog.current?.close());
  const discard = () => {
    if (leaving.status === 'blocked') leaving.proceed();
    else dialog.current?.close();
  };
  const keep = () => {
    if (leaving.status === 'blocked') leaving.reset();
    setIsAsking(false);
    // The button that was pressed goes, and a key that is pressed nowhere would close the dialog.
    const field = left.current ?? dialog.current?.querySelector('.inside :is(input, textarea, select, button)');
    if (field instanceof HTMLElement) field.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isUnsaved || event.defaultPrevented) return;
    // A browser closes at the second Escape whatever a page says to the event that follows.
    event.preventDefault();
    if (isAsking) keep();
    else ask();
  };
  /** Where nothing within has the focus, no key comes here; a choice of files that is closed comes here too. */
  const onCancel = (event: SyntheticEvent) => {
    if (!isUnsaved || event.target !== dialog.current) return;
    event.preventDefault();
    ask();
  };
  return (
    // The keys are those of the dialog itself.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog ref={dialog} className={isWide ? 'wide' : ''} aria-labelledby={id} onClose={onClose} onCancel={onCancel} onKeyDown={onKey}>
      <header>
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={words.close} onClick={close} />
      </header>
      <div className="inside">{children}</div>
      {isAsking || leaving.status === 'blocked' ? (
        <footer className="asking">
          <p className="grow" role="alert">
            {words.unsaved}
          </p>
          <Button look="danger" onClick={discard}>
            {words.discard}
          </Button>
          <Button look="primary" onClick={keep} autoFocus>
            {words.keepEditing}
          </Button>
        </footer>
      ) : (
        footer !== undefined && <footer>{footer}</footer>
      )}
    </dialog>
  );
}

/** Whether the page moves by itself, and not by the browser's Back and Forward. */
function isOwnMove(action: string): boolean {
  return action === 'PUSH' || action === 'REPLACE';
}
