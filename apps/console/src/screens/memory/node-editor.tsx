import { useState, type FormEvent } from 'react';
import { Button } from '../../components/button.js';
import { Field, TextArea, TextInput } from '../../components/field.js';
import { ErrorNotice } from '../../components/notice.js';
import { shared } from '../../components/text.js';
import { UnsavedGuard } from '../../components/unsaved-guard.js';
import { useMemoryChange } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { memoryText } from './text.js';

interface NodeEditorProps {
  readonly nodeId: string;
  readonly title: string;
  /** Null leaves the content as it is: another level than the whole is shown. */
  readonly content: string | null;
  readonly onClose: () => void;
}

export function NodeEditor({ nodeId, title, content, onClose }: NodeEditorProps) {
  const words = useText(memoryText);
  const common = useText(shared);
  const update = useMemoryChange('update_node');
  const [edited, setEdited] = useState({ title, content });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const change = { title: edited.title, ...(edited.content !== null && { content: edited.content }) };
    update.mutate({ nodeId, mode: 'Replace', ...change }, { onSuccess: onClose });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <UnsavedGuard isUnsaved={!update.isPending && (edited.title !== title || edited.content !== content)} />
      <Field label={words.nodeTitle}>
        {(control) => (
          <TextInput {...control} value={edited.title} onChange={(event) => setEdited({ ...edited, title: event.target.value })} />
        )}
      </Field>
      {edited.content !== null && (
        <Field label={words.content}>
          {(control) => (
            <TextArea
              {...control}
              className="input mono"
              rows={12}
              value={edited.content ?? ''}
              onChange={(event) => setEdited({ ...edited, content: event.target.value })}
            />
          )}
        </Field>
      )}
      {update.error && <ErrorNotice error={update.error} />}
      <div className="line">
        <Button type="submit" look="primary" disabled={update.isPending}>
          {words.save}
        </Button>
        <Button onClick={onClose}>{common.cancel}</Button>
      </div>
    </form>
  );
}
