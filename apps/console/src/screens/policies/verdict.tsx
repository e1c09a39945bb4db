import type { PolicyVerdict } from '#lib/client';
import { Badge, type Tone } from '../../components/badge.js';
import { Notice } from '../../components/notice.js';
import { formatMs } from '../../language/format.js';
import { useText } from '../../language/use-text.js';
import { policiesText } from './text.js';

const tones = { allow: 'good', deny: 'bad', ask: 'info' } as const;

/** What becomes of a call, and what each policy says of it. */
export function Verdict({ verdict: { outcome, policy, message, policies } }: { readonly verdict: PolicyVerdict }) {
  const words = useText(policiesText);
  return (
    <div className="stack tight">
      <Notice tone={tones[outcome]}>
        <p>
          {words.outcome} <strong>{words.outcomes[outcome]}</strong>
          {outcome !== 'allow' && <> {words.by(policy ?? words.thisOne)}</>}
        </p>
        {message !== null && <p>{message}</p>}
      </Notice>
      <ul className="stack tight">
        {policies.map(({ name, holds, error, because, cost_us }) => (
          <li key={name ?? ''} className="verdict">
            <div className="line wrap">
              <strong>{name ?? words.thisOne}</strong>
              <HoldsBadge holds={holds} />
              <span className="faint">{formatMs(cost_us / 1_000)}</span>
            </div>
            {error !== null && <p className="fault">{error}</p>}
            {because.length > 0 && (
              <ul>
                {because.map(({ part, value }) => (
                  <li key={part} className="line top">
                    <HoldsBadge holds={value} />
                    <code className="told">{part}</code>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function HoldsBadge({ holds }: { readonly holds: boolean | null }) {
  const words = useText(policiesText);
  const tone: Tone = holds === null ? 'bad' : holds ? 'accent' : 'plain';
  return <Badge tone={tone}>{holds === null ? words.unknown : holds ? words.holds : words.holdsNot}</Badge>;
}
