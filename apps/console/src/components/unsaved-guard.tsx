import { useBlocker } from '@tanstack/react-router';
import { useText } from '../language/use-text.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { shared } from './text.js';

/** Asks before the page is left while something typed on it is not saved. A dialog has its own, `isUnsaved`. */
export function UnsavedGuard({ isUnsaved }: { readonly isUnsaved: boolean }) {
  const words = useText(shared);
  const leaving = useBlocker({ shouldBlockFn: () => isUnsaved, enableBeforeUnload: () => isUnsaved, withResolver: true });
  if (leaving.status !== 'blocked') return null;
  return (
    <Dialog
      title={words.unsaved}
      onClose={leaving.reset}
      footer={
        <>
          <Button look="danger" onClick={leaving.proceed}>
            {words.discard}
          </Button>
          <Button look="primary" onClick={leaving.reset}>
            {words.keepEditing}
          </Button>
        </>
      }
    >
      <p>{words.unsavedLeave}</p>
    </Dialog>
  );
}
