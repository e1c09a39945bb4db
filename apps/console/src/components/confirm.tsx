import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useText } from '../language/use-text.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import type { IconName } from './icon.js';
import { ErrorNotice } from './notice.js';
import { shared } from './text.js';
import { toast } from './toasts.js';

interface ConfirmProps {
  /** The verb and what it is done to, such as `Delete nightly`: the title, and the button. */
  readonly action: string;
  readonly icon?: IconName;
  /** What it will cause. */
  readonly children: ReactNode;
  readonly run: () => Promise<unknown>;
  /** What is said once it is done. */
  readonly done: string;
  /** Takes it back, for as long as it is said. */
  readonly undo?: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something that costs something. Nothing has the danger as its first stop. */
export function Confirm({ action, icon, children, run, done, undo, onClose }: ConfirmProps) {
  const words = useText(shared);
  const doing = useMutation({
    mutationFn: run,
    onSuccess: () => {
      toast(done, undo && { label: words.undo, run: () => void undo().catch((error: unknown) => toast(String(error))) });
      onClose();
    },
  });
  return (
    <Dialog
      title={`${action}?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{words.goBack}</Button>
          <Button look="danger" {...(icon && { icon })} disabled={doing.isPending} onClick={() => doing.mutate()}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {doing.error && <ErrorNotice error={doing.error} />}
    </Dialog>
  );
}
