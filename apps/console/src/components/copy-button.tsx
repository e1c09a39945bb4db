import { useState } from 'react';
import { useText } from '../language/use-text.js';
import { Button, IconButton } from './button.js';
import { shared } from './text.js';

const shownMs = 1_500;

/** Copies a text, and says so. @param label words on the button; an icon alone without them */
export function CopyButton({ text, label, small = true }: { readonly text: string; readonly label?: string; readonly small?: boolean }) {
  const words = useText(shared);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), shownMs);
  };
  return (
    <>
      {label === undefined ? (
        <IconButton icon={copied ? 'check' : 'copy'} label={words.copy} small={small} onClick={() => void copy()} />
      ) : (
        <Button icon={copied ? 'check' : 'copy'} small={small} onClick={() => void copy()}>
          {copied ? words.copied : label}
        </Button>
      )}
      <span className="hidden-visually" role="status">
        {copied ? words.copied : ''}
      </span>
    </>
  );
}
