import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.js';

const tokens = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;
/** Longer texts are shown without colours: each coloured word is an element of the page. */
const maxColoured = 40_000;

/** Longer texts within JSON, such as files, are cut; what is copied is whole. */
const maxShownText = 2_000;

/** A text as it is. What a tool gave is only ever shown in this way or as plain text, never as HTML. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="code-block">
      <span className="copy">
        <CopyButton text={text} />
      </span>
      {/* Focusable, because it scrolls. */}
      <pre tabIndex={0} aria-label={label} role="region">
        {text}
      </pre>
    </div>
  );
}

export function JsonBlock({ value, label }: { readonly value: unknown; readonly label: string }) {
  const whole = JSON.stringify(value, null, 2) ?? 'undefined';
  const text = JSON.stringify(value, (_name, part: unknown) => (typeof part === 'string' ? cut(part) : part), 2) ?? 'undefined';
  return (
    <div className="code-block">
      <span className="copy">
        <CopyButton text={whole} />
      </span>
      <pre tabIndex={0} aria-label={label} role="region">
        {text.length > maxColoured ? text : coloured(text)}
      </pre>
    </div>
  );
}

function cut(text: string): string {
  return text.length > maxShownText ? `${text.slice(0, maxShownText)}… (${text.length} characters)` : text;
}

function coloured(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    const [whole, string, colon, number] = match;
    parts.push(text.slice(end, match.index));
    end = match.index + whole.length;
    const kind = string === undefined ? (number === undefined ? 'word' : 'number') : colon === undefined ? 'text' : 'key';
    parts.push(
      <span key={match.index} className={`json-${kind}`}>
        {string ?? whole}
      </span>,
      colon ?? '',
    );
  }
  return [...parts, text.slice(end)];
}
