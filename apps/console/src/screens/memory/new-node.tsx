import { useState, type FormEvent } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Field, Select, TextArea, TextInput } from '../../components/field.js';
import { ErrorNotice } from '../../components/notice.js';
import { useMemoryChange } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { memoryText } from './text.js';

const types = ['Concept', 'Memory', 'Plan', 'Reference', 'Code'] as const;

interface NewNodeProps {
  readonly parentId: string;
  readonly label: string;
  readonly onCreated: (nodeId: string) => void;
}

export function NewNode({ parentId, label, onCreated }: NewNodeProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button icon="plus" small onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      {isOpen && <NewNodeDialog parentId={parentId} label={label} onCreated={onCreated} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function NewNodeDialog({ parentId, label, onCreated, onClose }: NewNodeProps & { readonly onClose: () => void }) {
  const words = useText(memoryText);
  const create = useMemoryChange('create_node');
  const [node, setNode] = useState<{ readonly title: string; readonly content: string; readonly type: (typeof types)[number] }>({
    title: '',
    content: '',
    type: 'Concept',
  });
  const isTyped = node.title !== '' || node.content !== '';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { nodeId } = await create.mutateAsync({ ...node, parentId });
    onClose();
    onCreated(nodeId);
  };
  return (
    <Dialog title={label} isUnsaved={isTyped && (create.isIdle || create.isError)} onClose={onClose}>
      {/* What the gateway refuses is shown below. */}
      <form className="stack" onSubmit={(event) => void submit(event).catch(() => undefined)}>
        <Field label={words.nodeTitle} isRequired>
          {(control) => (
            <TextInput {...control} required value={node.title} onChange={(event) => setNode({ ...node, title: event.target.value })} />
          )}
        </Field>
        <Field label={words.type}>
          {(control) => (
            <Select
              {...control}
              value={node.type}
              onChange={(event) => setNode({ ...node, type: types.find((type) => type === event.target.value) ?? 'Concept' })}
            >
              {types.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={words.content}>
          {(control) => (
            <TextArea {...control} rows={6} value={node.content} onChange={(event) => setNode({ ...node, content: event.target.value })} />
          )}
        </Field>
        {create.error && <ErrorNotice error={create.error} />}
        <div>
          <Button type="submit" look="primary" disabled={create.isPending || node.title.trim() === ''}>
            {words.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
