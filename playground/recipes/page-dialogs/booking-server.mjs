// An MCP server over stdio. Its tools ask the user in the middle of a call: with a form, and with a page to open.
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const inputSchema = z.object({ trip: z.string().describe('For example "Rome to Milan"') });

const form = {
  message: 'Who travels?',
  requestedSchema: {
    type: 'object',
    properties: {
      passenger: { type: 'string', title: 'Passenger', minLength: 2 },
      seats: { type: 'integer', title: 'Seats', minimum: 1, maximum: 9, default: 1 },
      class: {
        type: 'string',
        title: 'Class',
        oneOf: [
          { const: 'first', title: 'First class' },
          { const: 'second', title: 'Second class' },
        ],
      },
      quiet: { type: 'boolean', title: 'Quiet coach' },
    },
    required: ['passenger', 'seats', 'class'],
  },
};

const toText = text => ({ content: [{ type: 'text', text }] });

/** Calls the train API. A call of a tool has one idempotency key in all of its attempts. */
async function request(action, body, { _meta }) {
  const key = _meta?.['com.npmjs.kelivo-responses/idempotencyKey'];
  const response = await fetch(`${process.env.TRAIN_API}/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `${action} ${key}` },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`The train API returned status ${response.status}.`);
  return response.text();
}

serveStdio(() => {
  const server = new McpServer({ name: 'trains', version: '1.0.0' });
  const register = (name, description, destructiveHint, run) =>
    server.registerTool(
      name,
      { description, inputSchema, annotations: { destructiveHint } },
      (input, { mcpReq }) => run(input, mcpReq),
    );

  // Holds a seat before it asks, so the call has an effect even if no one answers.
  register('book_seat', 'Books a seat on a trip.', false, async ({ trip }, call) => {
    const answer = call.inputResponses?.passenger;
    if (answer === undefined) {
      const held = await request('hold', { trip }, call);
      return inputRequired({ inputRequests: { passenger: inputRequired.elicit(form) }, requestState: held });
    }
    const body = { trip, held: call.requestState(), ...answer.content };
    if (answer.action === 'accept') return toText(await request('book', body, call));
    await request('release', body, call);
    return toText(`No seat was booked: the user chose ${answer.action}.`);
  });

  register('pay_seat', 'Pays the seat of a trip.', false, async ({ trip }, call) => {
    const answer = call.inputResponses?.page;
    if (answer?.action === 'accept') return toText(await request('confirm', { trip }, call));
    if (answer !== undefined) return toText(`Nothing was paid: the user chose ${answer.action}.`);
    const url = `${process.env.TRAIN_API}/pay?trip=${encodeURIComponent(trip)}`;
    return inputRequired({
      inputRequests: { page: inputRequired.elicitUrl({ message: 'Pay the seat on this page.', url }) },
    });
  });

  register('cancel_trip', 'Cancels a booked trip.', true, async (input, call) =>
    toText(await request('cancel', input, call)),
  );
  return server;
});
