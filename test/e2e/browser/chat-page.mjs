// A chat page as a developer would write it with the AI SDK: useChat, pointed at the gateway, nothing else. Bundled by its test.
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';

const { api, key, chatId } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const transport = new DefaultChatTransport({ api, headers: { authorization: `Bearer ${key}` } });

function Chat() {
  const [text, setText] = useState('');
  const { messages, sendMessage, stop, status, error } = useChat({ id: chatId, transport, resume: true });
  const send = (event) => {
    event.preventDefault();
    void sendMessage({ text });
    setText('');
  };
  const stopEverywhere = () => {
    void stop();
    void fetch(`${api}/${encodeURIComponent(chatId)}/stop`, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
  };
  return h(
    'main',
    null,
    h('p', { id: 'status' }, status),
    h('p', { id: 'error' }, error?.message ?? ''),
    h(
      'ol',
      { id: 'messages' },
      messages.map((message) => h('li', { key: message.id, className: message.role }, message.parts.map(shown).join(''))),
    ),
    h('form', { onSubmit: send }, h('input', { id: 'text', value: text, onChange: (event) => setText(event.target.value) })),
    h('button', { id: 'stop', onClick: stopEverywhere }, 'stop'),
  );
}

function shown(part) {
  if (part.type === 'text') return part.text;
  return part.type.startsWith('tool-') ? `[${part.type} ${part.state}]` : '';
}

createRoot(document.getElementById('root')).render(h(Chat));
