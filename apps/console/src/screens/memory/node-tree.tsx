import { useState } from 'react';
import { Button as TreeButton, Tree, TreeItem, TreeItemContent, type Key } from 'react-aria-components';
import { Badge } from '../../components/badge.js';
import { EmptyState } from '../../components/empty-state.js';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/loading.js';
import { shared } from '../../components/text.js';
import { useChildrenOf, useMemoryQuery, type ChildNode } from '../../data/memory.js';
import { useText } from '../../language/use-text.js';
import { NewNode } from './new-node.js';
import { memoryText } from './text.js';

const rootId = 'root';

interface NodeTreeProps {
  readonly chosen: string | undefined;
  readonly onChoose: (nodeId: string) => void;
}

/** The nodes of the workspace. A branch of the tree is read when it is opened; arrow keys walk and fold it. */
export function NodeTree({ chosen, onChoose }: NodeTreeProps) {
  const words = useText(memoryText);
  const root = useMemoryQuery('expand_node', { nodeId: rootId, level: 'Title', includeChildren: true });
  const [open, setOpen] = useState<ReadonlySet<Key>>(new Set());
  const below = useChildrenOf([...open].map(String));
  return (
    <div className="stack tight" style={{ padding: 'var(--s2)' }}>
      <Loaded query={root} lines={6}>
        {({ children = [] }) =>
          children.length === 0 ? (
            <EmptyState icon="memory" title={words.empty}>
              <p>{words.emptyHelp}</p>
            </EmptyState>
          ) : (
            <Tree
              aria-label={words.tree}
              className="tree"
              selectionMode="single"
              selectedKeys={chosen === undefined ? [] : [chosen]}
              onSelectionChange={(keys) => {
                const [key] = keys;
                if (typeof key === 'string') onChoose(key);
              }}
              onAction={(key) => onChoose(String(key))}
              expandedKeys={open}
              onExpandedChange={setOpen}
            >
              {children.map((child) => (
                <Node key={child.nodeId} node={child} below={below} />
              ))}
            </Tree>
          )
        }
      </Loaded>
      <NewNode parentId={rootId} label={words.newNode} onCreated={onChoose} />
    </div>
  );
}

interface NodeProps {
  readonly node: ChildNode;
  /** Children that have been read, by their parent. */
  readonly below: ReadonlyMap<string, readonly ChildNode[]>;
}

function Node({ node, below }: NodeProps) {
  const title = node.title || node.nodeId;
  const children = below.get(node.nodeId);
  return (
    <TreeItem id={node.nodeId} textValue={title} hasChildItems={node.childCount > 0}>
      <TreeItemContent>
        {({ hasChildItems, isExpanded }) => (
          <span className="tree-row">
            {hasChildItems ? (
              <TreeButton slot="chevron" className="tree-chevron">
                <Icon name={isExpanded ? 'down' : 'right'} />
              </TreeButton>
            ) : (
              <span className="tree-chevron" />
            )}
            <span className="truncate grow">{title}</span>
            <Badge>{node.type}</Badge>
          </span>
        )}
      </TreeItemContent>
      {children?.map((child) => (
        <Node key={child.nodeId} node={child} below={below} />
      ))}
      {!children && node.childCount > 0 && <Unread parentId={node.nodeId} />}
    </TreeItem>
  );
}

/** Stands for children until they are read: arrow keys open only what has something below it. */
function Unread({ parentId }: { readonly parentId: string }) {
  const words = useText(shared);
  return (
    <TreeItem id={`${parentId} unread`} textValue={words.loading} isDisabled>
      <TreeItemContent>
        <span className="tree-row">{words.loading}</span>
      </TreeItemContent>
    </TreeItem>
  );
}
