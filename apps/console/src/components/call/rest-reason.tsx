import { Link } from '@tanstack/react-router';
import type { ShownRest } from '#lib/contracts';
import { useScope } from '../../data/session.js';
import { formatTime } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { Notice } from '../notice.js';
import { restText } from './rest-text.js';

/** What a call rests for, in a few words. */
export function RestReason({ rest: { reason, flow, pause } }: { readonly rest: ShownRest }) {
  const words = useText(restText);
  if (flow) return <span title={words.place(flow.place, flow.name)}>{words.inLine(flow.text, flow.place, flow.name)}</span>;
  return pause ? words.pausedBy(pause.name, pause.reason) : words.reasons[reason];
}

/** The same with how long it may be, and where somebody can do something about it. */
export function RestNotice({ rest }: { readonly rest: ShownRest }) {
  const words = useText(restText);
  const language = useLanguage();
  const isTenantAdmin = useScope('tenant:admin');
  return (
    <Notice>
      <strong className="told">
        <RestReason rest={rest} />
      </strong>{' '}
      <span className="soft">{words.until(formatTime(rest.until, language))}</span>{' '}
      {rest.flow && isTenantAdmin && <Link to="/flows">{words.openFlows}</Link>}
      {rest.pause && isTenantAdmin && <Link to="/pauses">{words.openPauses}</Link>}
      {rest.input_request !== undefined && (
        <Link to="/requests" search={{ id: rest.input_request }}>
          {words.openRequests}
        </Link>
      )}
    </Notice>
  );
}
