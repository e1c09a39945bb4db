import { useEffect, useId, useRef, type ReactNode } from 'react';
import { useText } from '../language/use-text.js';
import { IconButton } from './button.js';
import { shared } from './text.js';

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

/** The browser's own modal dialog: it holds the focus, closes by Escape, and gives the focus back. */
export function Dialog({ title, isWide = false, onClose, footer, children }: DialogProps) {
  const words = useText(shared);
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // Otherwise the way out has the focus, which comes first.
    dialog.current?.querySelector<HTMLElement>('.inside :is(input, textarea, select, button)')?.focus();
  }, []);
  return (
    <dialog ref={dialog} className={isWide ? 'wide' : ''} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={words.close} onClick={() => dialog.current?.close()} />
      </header>
      <div className="inside">{children}</div>
      {footer !== undefined && <footer>{footer}</footer>}
    </dialog>
  );
}
