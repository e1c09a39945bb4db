import { useMutation } from '@tanstack/react-query';
import { Button } from '../../components/button.js';
import { toast } from '../../components/toasts.js';
import { readAudit, type AuditFilter } from '../../data/audit.js';
import { download, toCsv } from '../../data/csv.js';
import { useText } from '../../language/use-text.js';
import { beginOf, windowOf } from '../../language/windows.js';
import { auditText } from './text.js';

const columns = ['at', 'action', 'subject', 'tenant', 'actor', 'application', 'changed', 'facts'];

/** Every entry that the filters let through, as a file. */
export function ExportButton({ filter }: { readonly filter: AuditFilter }) {
  const words = useText(auditText);
  const save = useMutation({
    mutationFn: () => {
      const window = windowOf(filter.since);
      return readAudit({ ...filter, ...(window && { from: beginOf(window, Date.now()) }) });
    },
    onSuccess: ({ events, isCut }) => {
      const rows = events.map(({ at, action, subject, tenant_id, actor, application, changed, facts }) => [
        at,
        action,
        subject,
        tenant_id,
        actor,
        application,
        changed.join(' '),
        JSON.stringify(facts),
      ]);
      download(`invoq-audit-${new Date().toISOString().slice(0, 10)}.csv`, toCsv(columns, rows));
      if (isCut) toast(words.csvCut);
    },
    onError: (error) => toast(error.message),
  });
  return (
    <Button icon="download" disabled={save.isPending} onClick={() => save.mutate()}>
      {words.csv}
    </Button>
  );
}
