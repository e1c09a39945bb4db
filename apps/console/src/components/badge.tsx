import type { ReactNode } from 'react';
import type { JobState } from '#lib/contracts';
import { useText } from '../language/use-text.js';
import { culpritOf } from './culprit.js';
import { shared } from './text.js';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'accent' | 'plain';

export function Badge({
  tone = 'plain',
  code = false,
  children,
}: {
  readonly tone?: Tone;
  readonly code?: boolean;
  readonly children: ReactNode;
}) {
  return <span className={`badge ${tone} ${code ? 'code' : ''}`}>{children}</span>;
}

const stateTones: Readonly<Record<JobState, Tone>> = {
  waiting: 'plain',
  active: 'info',
  delayed: 'warn',
  resting: 'plain',
  completed: 'good',
  failed: 'bad',
  cancelled: 'plain',
};

interface StateBadgeProps {
  readonly state: JobState;
  /** Whether the answer of one that has completed is that it cannot be done as it was asked for. */
  readonly isRefused?: boolean;
}

/** State of a call: its word, and a dot that breathes while it is open. */
export function StateBadge({ state, isRefused = false }: StateBadgeProps) {
  const words = useText(shared);
  if (isRefused) {
    return (
      <Badge tone="warn">
        <i className="dot" />
        {words.refused}
      </Badge>
    );
  }
  const isOpen = state === 'active' || state === 'delayed' || state === 'waiting' || state === 'resting';
  return (
    <Badge tone={stateTones[state]}>
      <i className={`dot ${isOpen ? 'alive' : ''}`} />
      {words.states[state]}
    </Badge>
  );
}

export function CodeBadge({ code }: { readonly code: string }) {
  return (
    <Badge tone={toneOfCode(code)} code>
      {code}
    </Badge>
  );
}

function toneOfCode(code: string): Tone {
  const culprit = culpritOf(code);
  if (code === 'CANCELLED') return 'plain';
  return culprit === 'caller' || culprit === 'limit' ? 'warn' : 'bad';
}
