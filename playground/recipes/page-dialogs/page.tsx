import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, isToolUIPart } from 'ai';
import { type FormEvent, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Answer, ShownQuestion } from './questions.js';
import type { Message } from './server.js';

const id = new URLSearchParams(location.search).get('chat') ?? 'default';

function Chat({ saved }: { saved: Message[] }) {
  const [text, setText] = useState('');
  const { messages, sendMessage, status, error } = useChat<Message>({
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
    <main>
      {messages.map(message => (
        <article key={message.id} aria-label={message.role}>
          {message.parts.map((part, index) =>
            part.type === 'data-question' ? (
              <Dialog key={part.id} id={part.id ?? ''} question={part.data} />
            ) : (
              <p key={index}>
                {part.type === 'text' && part.text}
                {isToolUIPart(part) && `${'toolName' in part ? part.toolName : part.type}: ${part.state}`}
              </p>
            ),
          )}
        </article>
      ))}
      <p role="status">{error?.message ?? status}</p>
      <form onSubmit={submit}>
        <input aria-label="Message" value={text} onChange={({ target }) => setText(target.value)} />
      </form>
    </main>
  );
}

/** The JSON Schema of a form. */
interface FormSchema {
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

interface FieldSchema {
  readonly type?: string;
  readonly title?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string; readonly title?: string }[];
  readonly anyOf?: FieldSchema['oneOf'];
  readonly items?: FieldSchema;
}

/** A question of a server. All of its texts are those of the server. */
function Dialog({ id, question }: { id: string; question: ShownQuestion }) {
  const { server, message, url, input, state } = question;
  const form = question.form as FormSchema | undefined;
  const [issues, setIssues] = useState<readonly string[]>([]);
  if (state !== 'open') return <p>{`${message} ${state}`}</p>;

  const answer = async (action: Answer['action'], content?: Answer['content']): Promise<void> => {
    const response = await fetch(`/api/questions/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action, content }),
    });
    setIssues(response.ok ? [] : ((await response.json()) as string[]));
  };
  const accept = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void answer('accept', form && toContent(form.properties, new FormData(event.currentTarget)));
    if (url !== undefined) open(url, '_blank', 'noopener');
  };
  return (
    <form role="dialog" id={id} aria-label={message} onSubmit={accept}>
      <p>{`${server} asks: ${message}`}</p>
      {url !== undefined && <code>{url}</code>}
      {input && <pre>{JSON.stringify(input, null, 2)}</pre>}
      {Object.entries(form?.properties ?? {}).map(([name, field]) => (
        <Field key={name} name={name} field={field} isRequired={form?.required?.includes(name) ?? false} />
      ))}
      {issues.length > 0 && <p role="alert">{issues.join(', ')}</p>}
      <button>{url !== undefined ? 'Open the page' : form ? 'Send' : 'Approve'}</button>
      <button type="button" onClick={() => void answer('decline')}>
        Decline
      </button>
      <button type="button" onClick={() => void answer('cancel')}>
        Dismiss
      </button>
    </form>
  );
}

const INPUTS: Readonly<Record<string, string>> = {
  ...{ number: 'number', integer: 'number', email: 'email', uri: 'url', date: 'date' },
};

function Field({ name, field, isRequired }: { name: string; field: FieldSchema; isRequired: boolean }) {
  const { type = 'string', title = name, format = type, default: value } = field;
  const choices = choicesOf(type === 'array' ? (field.items ?? {}) : field);
  const initial = value === undefined ? undefined : type === 'array' ? (value as string[]) : String(value);
  return (
    <label>
      {title}
      {type === 'boolean' ? (
        <input type="checkbox" name={name} defaultChecked={value === true} />
      ) : choices.length > 0 ? (
        <select name={name} required={isRequired} multiple={type === 'array'} defaultValue={initial}>
          {choices.map(({ const: choice, title = choice }) => (
            <option key={choice} value={choice}>
              {title}
            </option>
          ))}
        </select>
      ) : (
        <input
          name={name}
          required={isRequired}
          type={INPUTS[format] ?? 'text'}
          step="any"
          defaultValue={initial}
        />
      )}
    </label>
  );
}

const choicesOf = ({ enum: values = [], oneOf, anyOf }: FieldSchema) =>
  oneOf ?? anyOf ?? values.map(value => ({ const: value, title: value }));

/** Reads the fields of a form. Empty ones are left out. */
function toContent(properties: Readonly<Record<string, FieldSchema>>, data: FormData): Answer['content'] {
  const fields = Object.entries(properties).map(([name, { type }]) => {
    const text = String(data.get(name) ?? '');
    if (type === 'boolean') return [name, data.has(name)] as const;
    if (type === 'array') return [name, data.getAll(name).map(String)] as const;
    return [name, text !== '' && (type === 'number' || type === 'integer') ? Number(text) : text] as const;
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== ''));
}

const saved = (await (await fetch(`/api/chat/${encodeURIComponent(id)}`)).json()) as Message[];
const root = document.querySelector('#root');
if (root !== null) createRoot(root).render(<Chat saved={saved} />);
