import './no-eval.js';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { UIMessage } from 'ai';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Loaded } from '../../components/loading.js';
import { Panel } from '../../components/panel.js';
import { Screen } from '../../components/screen.js';
import { Ago } from '../../components/time.js';
import { InvoqError } from '#lib/client';
import { api } from '../../data/api.js';
import { useText } from '../../language/use-text.js';
import { Conversation } from './conversation.js';
import { chatText } from './text.js';

const route = getRouteApi('/chat');

/** Talks with the agent. The conversation stands in the address: another tab shows it too, while it is still being written. */
export function Chat() {
  const words = useText(chatText);
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  const [freshId, setFreshId] = useState(() => crypto.randomUUID());
  const conversations = useQuery({ queryKey: ['conversations'], queryFn: api.conversations });
  const begin = () => {
    setFreshId(crypto.randomUUID());
    void navigate({ to: '.', search: {} });
  };
  return (
    <Screen
      title={words.title}
      actions={
        <Button icon="plus" onClick={begin}>
          {words.newChat}
        </Button>
      }
    >
      <div className="columns lead">
        <Panel title={words.conversations} padded={false}>
          <Loaded query={conversations}>
            {({ conversations: list }) => (
              <ul className="stack tight" style={{ padding: 'var(--s2)' }}>
                {list.length === 0 && <li className="faint">{words.none}</li>}
                {list.map(({ conversation_id, title, updated_at }) => (
                  <li key={conversation_id}>
                    <Link to="/chat" search={{ id: conversation_id }} className="nav-link" activeOptions={{ includeSearch: true }}>
                      <span className="truncate grow">{title || words.untitled}</span>
                      <span className="faint">
                        <Ago at={updated_at} />
                      </span>
                    </Link>
                  </li>
                ))}
              </ul>
            )}
          </Loaded>
        </Panel>
        <Opened
          key={id ?? freshId}
          id={id ?? freshId}
          isFresh={id === undefined || id === freshId}
          onBegun={(begun) => void navigate({ to: '.', search: { id: begun }, replace: true })}
          onEnded={() => void conversations.refetch()}
        />
      </div>
    </Screen>
  );
}

interface OpenedProps {
  readonly id: string;
  /** True for one that was begun on this page: nothing is stored of it yet. */
  readonly isFresh: boolean;
  readonly onBegun: (id: string) => void;
  readonly onEnded: () => void;
}

/** A conversation with what was said before. */
function Opened({ id, isFresh, onBegun, onEnded }: OpenedProps) {
  const [wasFresh] = useState(isFresh);
  const before = useQuery({
    queryKey: ['conversation', id],
    queryFn: async (): Promise<{ readonly messages: readonly UIMessage[] }> => {
      try {
        return await api.conversation(id);
      } catch (error) {
        // Begun in another tab, and not stored yet.
        if (error instanceof InvoqError && error.code === 'RESOURCE_NOT_FOUND') return { messages: [] };
        throw error;
      }
    },
    enabled: !wasFresh,
    gcTime: 0,
  });
  if (wasFresh) return <Conversation id={id} before={[]} isResumed={false} onBegun={onBegun} onEnded={onEnded} />;
  return (
    <Loaded query={before}>
      {({ messages }) => <Conversation id={id} before={messages} isResumed onBegun={onBegun} onEnded={onEnded} />}
    </Loaded>
  );
}
