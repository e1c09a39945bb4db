import { useState, type FormEvent } from 'react';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { Field, TextInput } from '../../components/field.js';
import { Loaded } from '../../components/loading.js';
import { ErrorNotice } from '../../components/notice.js';
import { useMemory, useMemoryChange, useMemoryQuery } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { ChangeList } from './change-list.js';
import { memoryText } from './text.js';

/** What this session has staged, to commit or to throw away. */
export function Changes() {
  const words = useText(memoryText);
  const { sessionId } = useMemory();
  const changes = useMemoryQuery('list_changes', {});
  const commit = useMemoryChange('commit_changes');
  const discard = useMemoryChange('discard_changes');
  const [message, setMessage] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    commit.mutate({ message }, { onSuccess: () => setMessage('') });
  };
  const error = commit.error ?? discard.error;
  return (
    <div className="stack">
      <p className="faint">
        {words.session} <code>{sessionId}</code>
      </p>
      <Loaded query={changes}>
        {({ changes: staged }) =>
          staged.length === 0 ? (
            <EmptyState icon="check" title={words.nothingStaged}>
              <p>{words.nothingStagedHelp}</p>
            </EmptyState>
          ) : (
            <>
              <ChangeList
                changes={staged}
                actions={({ nodeId, stale }) => (
                  <>
                    {stale && <Badge tone="bad">{words.stale}</Badge>}
                    <Button small look="quiet" onClick={() => discard.mutate({ specificNodes: [nodeId] })}>
                      {words.discard}
                    </Button>
                  </>
                )}
              />
              <form className="stack tight" onSubmit={submit}>
                <Field label={words.message}>
                  {(control) => <TextInput {...control} value={message} onChange={(event) => setMessage(event.target.value)} />}
                </Field>
                <div className="line">
                  <Button type="submit" look="primary" icon="check" disabled={commit.isPending}>
                    {words.commit}
                  </Button>
                  <Button look="danger" onClick={() => discard.mutate({})}>
                    {words.discardAll}
                  </Button>
                </div>
              </form>
            </>
          )
        }
      </Loaded>
      {error && <ErrorNotice error={error} />}
    </div>
  );
}
