import { useState } from 'react';
import type {
  CompletionDraft,
  PendingRequest,
  RequestResponse,
  SchemaProblem,
} from '../../shared/mcp-inspection.js';
import { callApi, toSchemaProblems } from '../page/api.js';
import { useKept } from '../page/kept-input.js';
import { Field } from '../ui/field.js';
import { JsonTree } from '../ui/json-tree.js';
import { forgetForm, SchemaForm } from './schema-form.js';
import { Problem } from '../ui/problem.js';
import { describeFailure } from '../../shared/failure.js';

const titles = {
  form: 'requests input',
  url: 'requests to open a page',
  sampling: 'requests a completion',
} as const;

/**
 * A request of an MCP server at the call that it belongs to: a form, a page to open, or a completion. It covers nothing, and
 * no key closes it.
 *
 * @param place The title of its chat, or nothing for a call that the user has started.
 */
export function ServerRequest({ request, place }: { request: PendingRequest; place?: string }) {
  const { id, server, kind, params, toolName } = request;
  const [problem, setProblem] = useState<string>();
  const [refused, setRefused] = useState<readonly SchemaProblem[]>([]);
  const respond = (response: RequestResponse): void => {
    callApi(`/mcp/requests/${id}`, { method: 'POST', body: response }).then(
      () => forgetForm(id),
      (error: unknown) => {
        setRefused(toSchemaProblems(error) ?? []);
        setProblem(describeFailure(error));
      },
    );
  };
  const { message, requestedSchema, url } = params as Record<string, unknown>;
  const buttons = (
    <>
      <button type="button" className="button" onClick={() => respond({ action: 'decline' })}>
        Decline
      </button>
      <button
        type="button"
        className="button subtle"
        title="The server learns that nothing was decided"
        onClick={() => respond({ action: 'cancel' })}
      >
        Cancel
      </button>
    </>
  );
  const name = `“${server}” ${titles[kind]}`;
  return (
    <section
      className="approval"
      aria-label={name}
      onKeyDown={event => {
        // Escape stops the turn elsewhere, which would cancel this request unnoticed.
        if (event.key === 'Escape') event.stopPropagation();
      }}
    >
      <p>
        <strong>{name}</strong>
        {toolName !== undefined && (
          <>
            {' '}
            for the call of <code>{toolName}</code>
          </>
        )}
        {place !== undefined && ` in “${place}”`}
      </p>
      {typeof message === 'string' && <p className="server-message">{message}</p>}
      {kind === 'form' && (
        <SchemaForm
          schema={requestedSchema}
          submitTitle="Send"
          problems={refused}
          keptAs={id}
          onSubmit={content =>
            respond({ action: 'accept', content: content as Exclude<RequestResponse['content'], string> })
          }
        >
          {buttons}
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
            {buttons}
          </div>
        </>
      )}
      {kind === 'sampling' && (
        <SamplingForm
          id={id}
          params={params}
          onSend={(content, model) => respond({ action: 'accept', content, model })}
        >
          {buttons}
        </SamplingForm>
      )}
      <Problem>{problem}</Problem>
    </section>
  );
}

interface SamplingFormProps {
  readonly id: string;
  readonly params: unknown;
  /** Receives the model if it has drafted the text. */
  readonly onSend: (text: string, model: string | undefined) => void;
  readonly children: React.ReactNode;
}

/** The messages of a request for a completion, and the text to return, which the model can draft. */
function SamplingForm({ id, params, onSend, children }: SamplingFormProps) {
  const [text, change] = useKept(id, () => '');
  const [isDrafting, setDrafting] = useState(false);
  const [model, setModel] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const draft = async (): Promise<void> => {
    setDrafting(true);
    setProblem(undefined);
    try {
      const written = await callApi<CompletionDraft>(`/mcp/requests/${id}/draft`, { method: 'POST' });
      change(written.text);
      setModel(written.modelId);
    } catch (error) {
      setProblem(describeFailure(error));
    }
    setDrafting(false);
  };
  return (
    <form
      className="schema-form"
      onSubmit={event => {
        event.preventDefault();
        onSend(text, model);
      }}
    >
      <JsonTree value={params} label="Request" />
      <Field
        label="Completion"
        hint="The server receives this text when you send it. The model can draft it, with the prompt and the limits of the request."
        problem={problem}
      >
        {props => (
          <textarea
            {...props}
            className="input"
            rows={4}
            value={text}
            onChange={event => change(event.target.value)}
          />
        )}
      </Field>
      <div className="button-row">
        <button type="submit" className="button primary" disabled={isDrafting || text.trim() === ''}>
          Send
        </button>
        <button type="button" className="button" disabled={isDrafting} onClick={() => void draft()}>
          {isDrafting ? 'The model answers …' : 'Let the model answer'}
        </button>
        {children}
      </div>
    </form>
  );
}
