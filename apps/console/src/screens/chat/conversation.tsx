import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { TextArea } from '../../components/field.js';
import { ErrorNotice } from '../../components/notice.js';
import { Panel } from '../../components/panel.js';
import { gateway, pageHeaders } from '../../data/gateway.js';
import { useText } from '../../language/use-text.js';
import { Message } from './message.js';
import { chatText } from './text.js';

const path = '/chat/v5/stream';
const transport = new DefaultChatTransport({ api: path, headers: pageHeaders });

interface ConversationProps {
  readonly id: string;
  readonly before: readonly UIMessage[];
  /** True to go on with an answer that is being written. */
  readonly isResumed: boolean;
  readonly onBegun: (id: string) => void;
  readonly onEnded: () => void;
}

export function Conversation({ id, before, isResumed, onBegun, onEnded }: ConversationProps) {
  const words = useText(chatText);
  const { messages, sendMessage, addToolApprovalResponse, stop, status, error } = useChat({
    id,
    transport,
    messages: [...before],
    resume: isResumed,
    onFinish: onEnded,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const [text, setText] = useState('');
  const isBusy = status === 'submitted' || status === 'streaming';
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [messages]);
  const say = (said: string) => {
    if (said.trim() === '' || isBusy) return;
    onBegun(id);
    setText('');
    void sendMessage({ text: said });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    say(text);
  };
  const onKey = (event: KeyboardEvent) => {
    // While a Chinese word is being composed, Enter chooses it.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    say(text);
  };
  const stopEverywhere = () => {
    void stop();
    void gateway.send(`${path.slice(1)}/${encodeURIComponent(id)}/stop`, { method: 'POST' });
  };
  return (
    <Panel>
      <div className="stack">
        <ol className="stack" aria-label={words.messages} aria-live="polite" data-status={status}>
          {messages.map((message) => (
            <Message
              key={message.id}
              message={message}
              onDecide={(request, approved) => void addToolApprovalResponse({ id: request, approved })}
            />
          ))}
        </ol>
        {messages.length === 0 && (
          <EmptyState icon="chat" title={words.empty}>
            <p>{words.emptyHelp}</p>
            {words.suggestions.map((suggestion) => (
              <Button key={suggestion} small onClick={() => say(suggestion)}>
                {suggestion}
              </Button>
            ))}
          </EmptyState>
        )}
        {status === 'submitted' && <p className="faint">{words.thinking}</p>}
        {error && <ErrorNotice error={error} />}
        <div ref={end} />
        <form className="line top" onSubmit={submit}>
          <TextArea
            aria-label={words.say}
            placeholder={words.say}
            rows={2}
            value={text}
            onKeyDown={onKey}
            onChange={(event) => setText(event.target.value)}
          />
          {isBusy ? (
            <Button icon="stop" look="danger" onClick={stopEverywhere}>
              {words.stop}
            </Button>
          ) : (
            <Button type="submit" icon="send" look="primary" disabled={text.trim() === ''}>
              {words.send}
            </Button>
          )}
        </form>
      </div>
    </Panel>
  );
}
