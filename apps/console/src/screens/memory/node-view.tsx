import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Confirm } from '../../components/confirm.js';
import { EmptyState } from '../../components/empty-state.js';
import { Segments } from '../../components/field.js';
import { Loaded, Loading } from '../../components/loading.js';
import { useMemoryChange, useMemoryQuery } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { NewNode } from './new-node.js';
import { NodeEditor } from './node-editor.js';
import { memoryText } from './text.js';

const Markdown = lazy(() => import('../../components/markdown.js').then(({ Markdown: component }) => ({ default: component })));
const route = getRouteApi('/memory');
const levels = ['Title', 'Brief', 'Summary', 'Detail'] as const;

/** A node at a level of detail, to read and to edit. */
export function NodeView({ nodeId }: { readonly nodeId: string | undefined }) {
  const words = useText(memoryText);
  if (nodeId === undefined) {
    return (
      <EmptyState icon="memory" title={words.choose}>
        <p>{words.chooseHelp}</p>
      </EmptyState>
    );
  }
  return <OneNode nodeId={nodeId} />;
}

function OneNode({ nodeId }: { readonly nodeId: string }) {
  const words = useText(memoryText);
  const navigate = route.useNavigate();
  const search = route.useSearch();
  const [level, setLevel] = useState<(typeof levels)[number]>('Detail');
  const [isEditing, setIsEditing] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  const node = useMemoryQuery('expand_node', { nodeId, level, includeRelations: true });
  const remove = useMemoryChange('delete_node');
  const discard = useMemoryChange('discard_changes');
  const choose = (id: string) => void navigate({ to: '.', search: { ...search, node: id } });
  const removeNode = async () => {
    await remove.mutateAsync({ nodeId, recursive: true });
    choose('');
  };
  return (
    <Loaded query={node} lines={8}>
      {({ title, type, tags, content, freshness, relations = [] }) => (
        <article className="stack">
          <div className="line wrap">
            <h2 style={{ fontSize: 16 }}>{title}</h2>
            <Badge>{type}</Badge>
            {tags.map((tag) => (
              <Badge key={tag} tone="accent">
                {tag}
              </Badge>
            ))}
            <Badge tone={freshness === 'fresh' ? 'good' : 'plain'}>{freshness}</Badge>
          </div>
          <div className="line wrap">
            <Segments
              label={words.level}
              value={level}
              choices={levels.map((one) => [one, words.levels[one]] as const)}
              onChoose={setLevel}
            />
            <span className="grow" />
            <NewNode parentId={nodeId} label={words.newChild} onCreated={choose} />
            <Button small onClick={() => setIsEditing(true)}>
              {words.edit}
            </Button>
            <Button small look="danger" icon="trash" title={words.removeHelp} onClick={() => setIsRemoving(true)}>
              {words.remove}
            </Button>
          </div>
          {isRemoving && (
            <Confirm
              action={words.removeNode(title)}
              icon="trash"
              run={removeNode}
              done={words.removedNode(title)}
              undo={() => discard.mutateAsync({ specificNodes: [nodeId] })}
              onClose={() => setIsRemoving(false)}
            >
              <p>{words.removeHelp}</p>
            </Confirm>
          )}
          {isEditing ? (
            <NodeEditor nodeId={nodeId} title={title} content={level === 'Detail' ? content : null} onClose={() => setIsEditing(false)} />
          ) : (
            <Suspense fallback={<Loading />}>
              <Markdown text={content} />
            </Suspense>
          )}
          {relations.length > 0 && (
            <div className="stack tight">
              <h3>{words.relations}</h3>
              <div className="line wrap">
                {relations.map(({ type: kind, sourceId, targetId }) => {
                  const other = sourceId === nodeId ? targetId : sourceId;
                  return (
                    <Button key={`${kind} ${sourceId} ${targetId}`} small onClick={() => choose(other)}>
                      {kind} <code>{other}</code>
                    </Button>
                  );
                })}
              </div>
            </div>
          )}
        </article>
      )}
    </Loaded>
  );
}
