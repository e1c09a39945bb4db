import type { ReactNode } from 'react';
import { InvoqError } from '#lib/client';
import { useText } from '../language/use-text.js';
import { CodeBadge } from './badge.js';
import { Button } from './button.js';
import { Icon, type IconName } from './icon.js';
import { shared } from './text.js';

interface NoticeProps {
  readonly tone?: 'info' | 'bad' | 'warn' | 'good';
  readonly children: ReactNode;
}

const icons = { info: 'info', bad: 'errors', warn: 'errors', good: 'check' } as const satisfies Record<string, IconName>;

export function Notice({ tone = 'info', children }: NoticeProps) {
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={icons[tone]} />
      <div className="grow">{children}</div>
    </div>
  );
}

/** An error with what to do about it. */
export function ErrorNotice({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const words = useText(shared);
  const known = error instanceof InvoqError ? error : null;
  const advice = known ? adviceOf(known, words) : null;
  return (
    <Notice tone="bad">
      <div className="stack tight">
        <div className="line wrap">
          <strong>{words.errorTitle}</strong>
          {known && <CodeBadge code={known.nativeCode ?? known.code} />}
        </div>
        <p>{error instanceof Error ? error.message : String(error)}</p>
        {advice !== null && <p className="soft">{advice}</p>}
        {known?.details.map(({ path, message }) => (
          <p key={path + message}>
            <code>{path}</code> {message}
          </p>
        ))}
        {(onRetry || known?.traceId) && (
          <div className="line wrap">
            {onRetry && (
              <Button small icon="refresh" onClick={onRetry}>
                {words.retry}
              </Button>
            )}
            {known?.traceId && (
              <span className="faint">
                {words.trace} <code>{known.traceId}</code>
              </span>
            )}
          </div>
        )}
      </div>
    </Notice>
  );
}

function adviceOf(error: InvoqError, words: { readonly offline: string; readonly noPermission: string }): string | null {
  if (error.status === 0) return words.offline;
  if (error.code === 'PERMISSION_DENIED') return words.noPermission;
  return error.envelope?.error?.hint ?? null;
}
