import { diffLines } from 'diff';

interface TextDiffProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** What was taken out of a text and what was added, line by line. */
export function TextDiff({ label, before, after }: TextDiffProps) {
  return (
    <div className="code-block">
      <pre aria-label={label} role="region" tabIndex={0}>
        {diffLines(before, after).map(({ value, added, removed }, index) => (
          // Parts have no identity but their place.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={index} className={`diff-line ${added ? 'added' : removed ? 'removed' : ''}`}>
            {value.replace(/\n$/, '').replaceAll(/^/gm, added ? '+ ' : removed ? '− ' : '  ')}
          </span>
        ))}
      </pre>
    </div>
  );
}
