'use client';

import { useChat } from '@ai-sdk/react';
import {
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai';
import { useEffect, useState } from 'react';

export default function Page() {
  const [chat, setChat] = useState<{ id: string; saved: UIMessage[] }>();
  useEffect(() => {
    const id = new URLSearchParams(location.search).get('chat') ?? 'default';
    void fetch(`/api/chat/${encodeURIComponent(id)}`)
      .then(response => response.json())
      .then((saved: UIMessage[]) => setChat({ id, saved }));
  }, []);
  return chat && <Chat {...chat} />;
}

function Chat({ id, saved }: { id: string; saved: UIMessage[] }) {
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    id,
    messages: saved,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const send = (form: FormData) => sendMessage({ text: String(form.get('message')) });

  return (
    <form action={send}>
      {messages.map(({ id, role, parts }) => (
        <article key={id} aria-label={role}>
          {parts.map((part, index) => {
            if (part.type === 'text') return <p key={index}>{part.text}</p>;
            if (!isToolUIPart(part)) return null;
            const answer = (approved: boolean) => () =>
              part.approval && addToolApprovalResponse({ id: part.approval.id, approved });
            return (
              <p key={index}>
                {getToolName(part)} {JSON.stringify(part.input)}: {part.state}
                {part.state === 'approval-requested' && (
                  <>
                    <button type="button" onClick={answer(true)}>
                      Approve
                    </button>
                    <button type="button" onClick={answer(false)}>
                      Deny
                    </button>
                  </>
                )}
              </p>
            );
          })}
        </article>
      ))}
      <p role="status">{error?.message ?? status}</p>
      <input name="message" aria-label="Message" required />
    </form>
  );
}
