import { Link } from '@tanstack/react-router';
import type { AuditEvent } from '#lib/contracts';
import { JsonBlock } from '../../components/code-block.js';
import { Dialog } from '../../components/dialog.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loaded } from '../../components/loading.js';
import { Notice } from '../../components/notice.js';
import { Facts } from '../../components/stats.js';
import { TextDiff } from '../../components/text-diff.js';
import { useEntry, useRowBefore, type EntryPlace } from '../../data/audit.js';
import { formatTime } from '../../language/format.js';
import { useLanguage, useText } from '../../language/use-text.js';
import { actionText, wordsOf } from './action-text.js';
import { changeOf } from './change.js';
import { EntryLinks } from './entry-links.js';
import { auditText } from './text.js';
import { Who } from './who.js';

interface EntryDialogProps {
  readonly place: EntryPlace;
  /** The entry, where the list has it. */
  readonly known: AuditEvent | undefined;
  readonly onClose: () => void;
}

/** One entry: who, when, and what the row was before and after. */
export function EntryDialog({ place, known, onClose }: EntryDialogProps) {
  const words = useText(auditText);
  const actions = useText(actionText);
  const query = useEntry(place, known);
  return (
    <Dialog title={query.data ? wordsOf(query.data.action, actions) : words.title} isWide onClose={onClose}>
      <Loaded query={query} lines={6}>
        {(event) =>
          event === null ? (
            <EmptyState icon="audit" title={words.gone}>
              <p>{words.goneHelp}</p>
            </EmptyState>
          ) : (
            <Entry event={event} scope={place.scope} />
          )
        }
      </Loaded>
    </Dialog>
  );
}

function Entry({ event, scope }: { readonly event: AuditEvent; readonly scope: EntryPlace['scope'] }) {
  const words = useText(auditText);
  const language = useLanguage();
  const { at, subject, tenant_id, application, action, facts } = event;
  const kind = (['insert', 'delete'] as const).find((one) => action.endsWith(`.${one}`)) ?? 'update';
  return (
    <>
      <Facts
        facts={[
          [
            words.when,
            <time key="when" dateTime={at} title={at}>
              {formatTime(at, language)}
            </time>,
          ],
          [
            words.who,
            event.actor === null ? (
              <Who key="who" event={event} />
            ) : (
              <Link key="who" to="/audit" search={{ scope, actor: event.actor }}>
                <code>{event.actor}</code>
              </Link>
            ),
          ],
          [words.action, <code key="action">{action}</code>],
          [
            words.what,
            <Link key="what" to="/audit" search={{ scope, subject }} title={words.entriesAbout}>
              <code>{subject}</code>
            </Link>,
          ],
          [words.tenant, tenant_id ?? words.forAll],
          ...(application === '' ? [] : [[words.connection, <code key="connection">{application}</code>] as const]),
        ]}
      />
      <EntryLinks event={event} />
      {kind === 'update' && <UpdateDiff event={event} scope={scope} />}
      <h3>{words.row[kind]}</h3>
      <JsonBlock value={facts} label={words.row[kind]} />
    </>
  );
}

function UpdateDiff({ event, scope }: { readonly event: AuditEvent; readonly scope: EntryPlace['scope'] }) {
  const words = useText(auditText);
  const query = useRowBefore(event, scope);
  return (
    <>
      <h3>{words.change}</h3>
      <Loaded query={query} lines={3}>
        {(before) => {
          const { before: was, after, hidden } = changeOf(event, before ?? event.facts);
          return (
            <>
              {before === null && <Notice>{words.beforeUnknown}</Notice>}
              {after !== '' && <TextDiff label={words.change} before={was} after={after} />}
              {hidden.length > 0 && (
                <p className="faint">
                  {words.hidden}: <code>{hidden.join(', ')}</code>
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}
