import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { expect, it, onTestFinished } from 'vitest';
import { stream } from '../tool-loop/_scripted-model.js';
import { createScene } from './_scene.js';

it('reaches Langfuse with every span of the package, and without content', async () => {
  const requests: { url: string | undefined; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({ url: request.url, body: Buffer.concat(chunks).toString('latin1') });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const processor = new LangfuseSpanProcessor({
    publicKey: 'pk-lf-1',
    secretKey: 'sk-lf-1',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  const provider = new NodeTracerProvider({ spanProcessors: [processor] });
  const { model } = createScene({ telemetry: { tracer: provider.getTracer('kelivo-responses') } });
  await stream(model);
  await provider.forceFlush();
  await provider.shutdown();
  const exported = requests.map(({ body }) => body).join('');
  expect(requests[0]?.url).toContain('/api/public/otel/v1/traces');
  for (const name of ['invoke_agent', 'chat scripted-1', 'execute_tool search', 'execute_tool fail'])
    expect(exported).toContain(name);
  expect(exported).not.toContain('canary');
});
