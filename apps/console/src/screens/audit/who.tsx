import type { AuditEvent } from '#lib/contracts';
import { useText } from '../../language/use-text.js';
import { actorOf } from './actor.js';
import { auditText } from './text.js';

/** Whoever asked for a change; the connection that made it where no caller did. */
export function Who({ event: { actor, application } }: { readonly event: Pick<AuditEvent, 'actor' | 'application'> }) {
  const words = useText(auditText);
  const known = actorOf(actor);
  if (known?.kind === 'user') return known.user;
  if (known?.kind === 'key')
    return (
      <span>
        {words.keyOf} <code>{known.key}</code>
      </span>
    );
  return <span className="faint">{actor ?? words.nobody(application)}</span>;
}
