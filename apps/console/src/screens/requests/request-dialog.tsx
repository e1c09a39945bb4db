import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { InvoqError, type InputDecision, type InputRequest } from '#lib/client';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { JsonBlock } from '../../components/code-block.js';
import { Dialog } from '../../components/dialog.js';
import { Field, TextArea } from '../../components/field.js';
import { Loading } from '../../components/loading.js';
import { ErrorNotice, Notice } from '../../components/notice.js';
import type { Input } from '../../components/schema-form/input.js';
import { ParametersEditor } from '../../components/schema-form/parameters-editor.js';
import { SchemaForm } from '../../components/schema-form/schema-form.js';
import { Facts } from '../../components/stats.js';
import { Ago } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { invoq } from '../../data/gateway.js';
import { mayDecide, requestsChanged, requestsKey } from '../../data/input-requests.js';
import { principalOf, useScope, useSession } from '../../data/session.js';
import { useTool } from '../../data/tools.js';
import { useText } from '../../language/use-text.js';
import { inputTones } from './request-row.js';
import { requestsText } from './text.js';

/** One request, and what can be decided on it. */
export function RequestDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const words = useText(requestsText);
  const request = useQuery({
    queryKey: [requestsKey, 'one', id],
    queryFn: ({ signal }) => invoq.inputRequests.get(id, { signal }),
    staleTime: 0,
  });
  if (request.data) return <Decide request={request.data} onClose={onClose} />;
  return (
    <Dialog title={words.title} onClose={onClose}>
      {request.error ? <ErrorNotice error={request.error} onRetry={() => void request.refetch()} /> : <Loading />}
    </Dialog>
  );
}

function Decide({ request, onClose }: { readonly request: InputRequest; readonly onClose: () => void }) {
  const words = useText(requestsText);
  const [reason, setReason] = useState('');
  /** Null while they are as they came. */
  const [changed, setChanged] = useState<Input | null>(null);
  const [answer, setAnswer] = useState<Input>({});
  const { id, kind, tool_name, state, schema } = request;
  const isOpen = state === 'open';
  const may = useMay(request);
  const decide = useMutation({
    mutationFn: (decision: InputDecision) =>
      invoq.inputRequests.decide(id, { ...decision, ...(reason.trim() !== '' && { reason: reason.trim() }) }),
    onSuccess: (_answer, { action }) => {
      toast(action === 'accept' ? (kind === 'approval' ? words.approved : words.answered) : words.declined);
      onClose();
    },
    // Also where somebody else was faster: what has become of it is shown.
    onSettled: requestsChanged,
  });
  const faults = decide.error instanceof InvoqError ? decide.error.details : [];
  const faultMap = new Map(faults.map(({ path, message }) => [path.replace(/^content\.(arguments\.)?/, ''), message]));
  const accept = () => {
    if (kind === 'approval') decide.mutate({ action: 'accept', ...(changed && { content: { arguments: changed } }) });
    else decide.mutate({ action: 'accept', content: answer });
  };
  const decline = kind === 'approval' ? words.decline : kind === 'question' ? words.declineAnswer : words.declineConnect;
  return (
    <Dialog
      title={words.titles[kind](tool_name)}
      isWide
      isUnsaved={isOpen && (reason !== '' || changed !== null || Object.keys(answer).length > 0) && !decide.isSuccess}
      onClose={onClose}
      footer={
        isOpen &&
        may === 'yes' && (
          <>
            <Button look="danger" disabled={decide.isPending} onClick={() => decide.mutate({ action: 'decline' })}>
              {decline}
            </Button>
            {kind !== 'connection' && (
              <Button look="primary" icon="check" disabled={decide.isPending} onClick={accept}>
                {kind === 'question' ? words.answer : changed ? words.approveChanged : words.approve}
              </Button>
            )}
          </>
        )
      }
    >
      <p className="told lead">{request.message}</p>
      <RequestFacts request={request} />
      {kind === 'approval' && (
        <Arguments request={request} changed={changed} faults={faultMap} mayEdit={isOpen && may === 'yes'} onChange={setChanged} />
      )}
      {request.request && <Relayed request={request.request} />}
      {isOpen && kind === 'question' && may === 'yes' && schema && (
        <SchemaForm schema={schema} input={answer} faults={faultMap} onChange={setAnswer} />
      )}
      {isOpen && kind === 'connection' && <Notice>{words.connect}</Notice>}
      {isOpen && may !== 'yes' && <Notice>{words[may]}</Notice>}
      {isOpen && may === 'yes' && (
        <Field label={words.reason} help={words.reasonHelp}>
          {(control) => (
            <TextArea {...control} rows={2} maxLength={1_000} value={reason} onChange={(event) => setReason(event.target.value)} />
          )}
        </Field>
      )}
      {decide.error && faults.length === 0 && <ErrorNotice error={decide.error} />}
    </Dialog>
  );
}

/** Whether it is for who is signed in to decide, or why not. An own call is left to the gateway, which knows its policy. */
function useMay(request: InputRequest): 'yes' | 'noScope' | 'notYours' {
  const { data: session } = useSession();
  const mayApprove = useScope('approvals');
  if (!session) return 'notYours';
  if (request.kind === 'approval') return mayApprove ? 'yes' : 'noScope';
  return mayDecide(request, session) ? 'yes' : 'notYours';
}

function RequestFacts({ request }: { readonly request: InputRequest }) {
  const words = useText(requestsText);
  const { data: session } = useSession();
  const { kind, job_id, requested_by, created_at, expires_at, state, decided_by, decided_at, reason } = request;
  const isOwn = !!session && requested_by === principalOf(session);
  return (
    <>
      <Facts
        facts={[
          [words.by, requested_by],
          [
            words.call,
            <Link key="call" to="/calls/$jobId" params={{ jobId: job_id }}>
              <code>{job_id}</code>
            </Link>,
          ],
          [words.when, <Ago key="when" at={created_at} />],
          state === 'open'
            ? ([words.expires, <Ago key="expires" at={expires_at} />] as const)
            : ([
                words.state,
                <span key="state" className="line wrap">
                  <Badge tone={inputTones[state]}>{words.states[state]}</Badge>
                  {decided_by}
                  {decided_at !== null && <Ago at={decided_at} />}
                </span>,
              ] as const),
          ...(reason === null ? [] : [[words.reason, reason] as const]),
        ]}
      />
      {state === 'expired' && <Notice tone="warn">{words.ended}</Notice>}
      {state === 'open' && kind === 'approval' && isOwn && <Notice>{words.own}</Notice>}
    </>
  );
}

/** What an outside server asks of the client. An address is text: a stranger wrote it. */
function Relayed({ request: { method, params } }: { readonly request: NonNullable<InputRequest['request']> }) {
  const words = useText(requestsText);
  const { url } = params;
  if (method !== 'elicitation/create' || typeof url !== 'string') return <JsonBlock value={params} label={words.said} />;
  return (
    <>
      <Facts
        facts={[
          [words.host, <strong key="host">{URL.parse(url)?.host}</strong>],
          [words.address, <code key="address">{url}</code>],
        ]}
      />
      <Notice tone="warn">{words.opens}</Notice>
    </>
  );
}

interface ArgumentsProps {
  readonly request: InputRequest;
  readonly changed: Input | null;
  readonly faults: ReadonlyMap<string, string>;
  readonly mayEdit: boolean;
  readonly onChange: (changed: Input | null) => void;
}

/** What the tool would be called with, as it came or changed. */
function Arguments({ request: { tool_name, arguments: given }, changed, faults, mayEdit, onChange }: ArgumentsProps) {
  const words = useText(requestsText);
  const tool = useTool(tool_name);
  const isMasked = JSON.stringify(given).includes('"[redacted]"');
  if (given === null) return <Notice tone="warn">{words.noArguments}</Notice>;
  return (
    <div className="stack tight">
      <div className="line spread">
        <h3>{words.arguments}</h3>
        {mayEdit && tool.data && (
          <Button small look="quiet" icon={changed ? 'replay' : 'edit'} onClick={() => onChange(changed ? null : given)}>
            {changed ? words.keep : words.edit}
          </Button>
        )}
      </div>
      {isMasked && <p className="faint">{words.masked}</p>}
      {changed && tool.data ? (
        <ParametersEditor schema={tool.data.parameters} input={changed} faults={faults} onChange={onChange} />
      ) : (
        <JsonBlock value={given} label={words.arguments} />
      )}
    </div>
  );
}
