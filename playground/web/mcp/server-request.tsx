import { useState } from 'react';
import type { PendingRequest, RequestResponse, SchemaProblem } from '../../shared/mcp-inspection.js';
import { callApi, toSchemaProblems } from '../page/api.js';
import { Dialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';
import { JsonTree } from '../ui/json-tree.js';
import { SchemaForm } from './schema-form.js';

const titles = {
  form: 'requests input',
  url: 'requests to open a page',
  sampling: 'requests a completion',
} as const;

/** The dialog for a request of an MCP server: a form, a page to open, or a completion. */
export function ServerRequest({ request }: { request: PendingRequest }) {
  const { id, server, kind, params } = request;
  const [problem, setProblem] = useState<string>();
  const [refused, setRefused] = useState<readonly SchemaProblem[]>([]);
  const respond = (response: RequestResponse): void => {
    callApi(`/mcp/requests/${id}`, { method: 'POST', body: response }).catch((error: unknown) => {
      setRefused(toSchemaProblems(error) ?? []);
      setProblem(error instanceof Error ? error.message : String(error));
    });
  };
  const { message, requestedSchema, url } = params as Record<string, unknown>;
  const decline = (
    <button type="button" className="button" onClick={() => respond({ action: 'decline' })}>
      Decline
    </button>
  );
  return (
    <Dialog title={`“${server}” ${titles[kind]}`} onClose={() => respond({ action: 'cancel' })}>
      {typeof message === 'string' && <p className="server-message">{message}</p>}
      {kind === 'form' && (
        <SchemaForm
          schema={requestedSchema}
          submitTitle="Send"
          problems={refused}
          onSubmit={content =>
            respond({ action: 'accept', content: content as Exclude<RequestResponse['content'], string> })
          }
        >
          {decline}
        </SchemaForm>
      )}
      {kind === 'url' && (
        <>
          <p>
            The complete address is <code>{String(url)}</code>. Open it only if you trust it.
          </p>
          <div className="button-row">
            {/^https?:/.test(String(url)) && (
              <a
                className="button primary"
                href={String(url)}
                target="_blank"
                rel="noreferrer noopener"
                onClick={() => respond({ action: 'accept' })}
              >
                Open the page
              </a>
            )}
            {decline}
          </div>
        </>
      )}
      {kind === 'sampling' && (
        <SamplingForm params={params} onSend={text => respond({ action: 'accept', content: text })}>
          {decline}
        </SamplingForm>
      )}
      {problem !== undefined && (
        <p className="note problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}

interface SamplingFormProps {
  readonly params: unknown;
  readonly onSend: (text: string) => void;
  readonly children: React.ReactNode;
}

/** The messages of a request for a completion, and a field for the text to return. No model is called. */
function SamplingForm({ params, onSend, children }: SamplingFormProps) {
  const [text, setText] = useState('');
  return (
    <form
      className="schema-form"
      onSubmit={event => {
        event.preventDefault();
        onSend(text);
      }}
    >
      <JsonTree value={params} label="Request" />
      <Field
        label="Completion"
        hint="The server receives this text as the response of a model. No model is called."
      >
        {props => (
          <textarea
            {...props}
            className="input"
            rows={4}
            value={text}
            onChange={event => setText(event.target.value)}
          />
        )}
      </Field>
      <div className="button-row">
        <button type="submit" className="button primary" disabled={text.trim() === ''}>
          Send
        </button>
        {children}
      </div>
    </form>
  );
}
