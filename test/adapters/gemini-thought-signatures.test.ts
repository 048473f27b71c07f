import { describe, expect, it } from 'vitest';
import { createWireSignatures } from '../../src/adapters/families/gemini-thought-signatures.js';

const chunk = (...tool_calls: object[]) => ({ choices: [{ delta: { tool_calls } }] });
const signed = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } });
const named = (id: string, name = 'a') => ({ id, function: { name, arguments: '' } });

describe('signatures of calls', () => {
  it('are found by the id of the call', () => {
    const signatures = createWireSignatures();
    signatures.read(chunk({ ...named('1'), ...signed('x') }, { ...named('2'), ...signed('y') }));
    expect(signatures.take({ toolCallId: '2', toolName: 'a' })).toBe('y');
    expect(signatures.take({ toolCallId: '1', toolName: 'a' })).toBe('x');
  });

  it('are found by name and order if the server sends no ids', () => {
    const signatures = createWireSignatures();
    signatures.read(chunk({ ...named('', 'a'), ...signed('x') }, named('', 'b'), named('', 'a')));
    expect(signatures.take({ toolCallId: 'generated', toolName: 'b' })).toBeUndefined();
    expect(signatures.take({ toolCallId: '', toolName: 'a' })).toBe('x');
    expect(signatures.take({ toolCallId: '', toolName: 'a' })).toBeUndefined();
  });

  // open-webui/computer#224: a delta of metadata alone.
  it('belong to the last call if they follow it in a separate delta', () => {
    const signatures = createWireSignatures();
    signatures.read(chunk(named('1')));
    signatures.read(chunk(signed('x')));
    expect(signatures.take({ toolCallId: '1', toolName: 'a' })).toBe('x');
  });

  it('are kept if each chunk repeats id and name', () => {
    const signatures = createWireSignatures();
    signatures.read(chunk(named('1')));
    signatures.read(chunk({ ...named('1'), ...signed('x') }));
    expect(signatures.take({ toolCallId: '1', toolName: 'a' })).toBe('x');
  });

  it('are found in complete responses and in chunks', () => {
    const signatures = createWireSignatures();
    signatures.read({ choices: [{ message: { tool_calls: [{ ...named('1'), ...signed('x') }] } }] });
    expect(signatures.take({ toolCallId: '1', toolName: 'a' })).toBe('x');
  });

  it.each([undefined, null, 'text', {}, { choices: 1 }, { type: 'response.created' }, chunk(signed('x'))])(
    'are not found in %j',
    response => {
      const signatures = createWireSignatures();
      signatures.read(response);
      expect(signatures.take({ toolCallId: '', toolName: 'a' })).toBeUndefined();
    },
  );
});
