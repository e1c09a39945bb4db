import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Notice } from '../../components/notice.js';
import { SecretOnce } from '../../components/secret-once.js';
import { useText } from '../../language/use-text.js';
import { webhooksText } from './text.js';

/** The secret that signs, this once. */
export function SecretDialog({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const words = useText(webhooksText);
  return (
    <Dialog
      title={words.made}
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          {words.copied}
        </Button>
      }
    >
      <Notice tone="warn">{words.madeHelp}</Notice>
      <SecretOnce secret={secret} />
    </Dialog>
  );
}
