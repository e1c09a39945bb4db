import { Link } from '@tanstack/react-router';
import type { AuditEvent } from '#lib/contracts';
import { useText } from '../../language/use-text.js';
import { actorOf } from './actor.js';
import { placesOf, type Place } from './places.js';
import { auditText } from './text.js';

/** The ways on from an entry: to what it speaks of, and to the calls of who made it. */
export function EntryLinks({ event }: { readonly event: AuditEvent }) {
  const words = useText(auditText);
  const actor = actorOf(event.actor);
  return (
    <div className="line wrap">
      {placesOf(event).map((place) => (
        <PlaceLink key={place.kind} place={place} />
      ))}
      {actor?.kind === 'user' && (
        <Link className="button small" to="/calls" search={{ scope: 'tenant', user: actor.user, since: '30d' }}>
          {words.callsOf(actor.user)}
        </Link>
      )}
    </div>
  );
}

function PlaceLink({ place }: { readonly place: Place }) {
  const words = useText(auditText);
  const className = 'button small';
  switch (place.kind) {
    case 'list':
      return (
        <Link className={className} to={place.to}>
          {words.lists[place.to]}
        </Link>
      );
    case 'tool':
      return (
        <Link className={className} to="/tools/$name" params={{ name: place.name }}>
          {words.places.tool}
        </Link>
      );
    case 'call':
      return (
        <Link className={className} to="/calls/$jobId" params={{ jobId: place.id }}>
          {words.places.call}
        </Link>
      );
    case 'request':
      return (
        <Link className={className} to="/requests" search={{ state: 'any', scope: 'tenant', id: place.id }}>
          {words.places.request}
        </Link>
      );
    case 'schedule':
    case 'webhook':
    case 'batch':
      return (
        <Link className={className} to={detailOf[place.kind]} params={{ id: place.id }}>
          {words.places[place.kind]}
        </Link>
      );
  }
}

const detailOf = { schedule: '/schedules/$id', webhook: '/webhooks/$id', batch: '/batches/$id' } as const;
