import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, isToolUIPart, type UIMessage } from 'ai';
import { type FormEvent, useState } from 'react';
import { createRoot } from 'react-dom/client';

const id = new URLSearchParams(location.search).get('chat') ?? 'default';

function Chat({ saved }: { saved: UIMessage[] }) {
  const [text, setText] = useState('');
  const { messages, sendMessage, status, error } = useChat({
    id,
    messages: saved,
    resume: true,
    transport: new DefaultChatTransport({
      api: '/api/chat',
      // The server has the messages before.
      prepareSendMessagesRequest: ({ id, messages }) => ({ body: { id, message: messages.at(-1) } }),
    }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void sendMessage({ text });
    setText('');
  };
  return (
    <form onSubmit={submit}>
      {messages.map(message => (
        <article key={message.id} aria-label={message.role}>
          {message.parts.map((part, index) => (
            <p key={index}>
              {part.type === 'text' && part.text}
              {isToolUIPart(part) && `${'toolName' in part ? part.toolName : part.type}: ${part.state}`}
            </p>
          ))}
        </article>
      ))}
      <p role="status">{error?.message ?? status}</p>
      <input aria-label="Message" value={text} onChange={({ target }) => setText(target.value)} />
    </form>
  );
}

const saved = (await (await fetch(`/api/chat/${encodeURIComponent(id)}`)).json()) as UIMessage[];
const root = document.querySelector('#root');
if (root !== null) createRoot(root).render(<Chat saved={saved} />);
