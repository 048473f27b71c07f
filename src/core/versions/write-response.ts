import type { CoreCall } from '../call.js';
import type { Content, Part } from '../part.js';
import type { PartSource } from '../source.js';
import { isCut } from '../shared/errors.js';
import type { PlainObject } from '../shared/json.js';
import { createApprovalWriter } from './history/approval-tool.js';
import { HostFilter } from './history/host-filter.js';
import { type SignatureContext, signPart } from './history/signatures.js';
import type { Batches } from './read-ahead.js';
import { type Version, withMetadata, writeCarrier } from './version.js';

/*
 * The way of a response to a host: what the host can neither show nor keep is left out or hidden in other parts, the rest is
 * written in the version of the host and signed, and leaves as a stream of single parts.
 */

/** Creates the filter for parts that the host cannot show or keep. `emit` is the same for all parts, as most are deltas. */
export function createFilter(
  call: CoreCall,
  version: Version,
  emit: (part: Part) => void,
): { part(part: Part): void; flush(): void } {
  const filter = new HostFilter(call, emit);
  if (!version.hasApprovalTool) return filter;
  const approvals = createApprovalWriter(call);
  const keep = (part: Part): void => filter.part(part);
  return {
    part: part => approvals.part(part, keep),
    flush() {
      approvals.flush?.(keep);
      filter.flush();
    },
  };
}

/** Writes the parts that the host can show and keep. Both steps are one, because every promise of a batch costs time. */
export function writeSource(
  source: PartSource,
  call: CoreCall,
  options: { version: Version; signature: SignatureContext },
): Batches<PlainObject> {
  let written: PlainObject[] = [];
  let isOver = false;
  const write = createPartWriter(
    options.version,
    call,
    part =>
      void written.push(
        part.providerMetadata === undefined ? part : signPart(part, 'providerMetadata', options.signature),
      ),
  );
  const filter = createFilter(call, options.version, write);
  return {
    async next() {
      written = [];
      while (written.length === 0 && !isOver) {
        const parts = await source.next();
        isOver = parts === undefined;
        if (parts === undefined) filter.flush();
        else for (const part of parts) filter.part(part);
      }
      return written.length > 0 ? written : undefined;
    },
    cancel: source.cancel,
  };
}

/** Maximum queue length of a stream. Each read shifts all queued parts, so long queues are slow. */
const MAX_QUEUED = 64;

/** Creates a stream of these objects. The source is not read before the stream is. */
export function toStream<Item>(batches: Batches<Item>): ReadableStream<Item> {
  let batch: readonly Item[] = [];
  let position = 0;

  function enqueue(controller: ReadableStreamDefaultController<Item>): void {
    const end = Math.min(position + MAX_QUEUED, batch.length);
    while (position < end) controller.enqueue(batch[position++] as Item);
  }

  return new ReadableStream<Item>(
    {
      pull(controller) {
        // Without a promise, because most parts are available.
        if (position < batch.length) return enqueue(controller);
        return batches.next().then(next => {
          if (next === undefined) return controller.close();
          batch = next;
          position = 0;
          enqueue(controller);
        });
      },
      cancel(reason) {
        batch = [];
        position = 0;
        batches.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Converts the parts of one response, streamed or complete. A part becomes any number of parts. */
export function createPartWriter(
  version: Version,
  call: { isStream: boolean },
  emit: (part: PlainObject) => void,
): (part: Part | Content) => void {
  let carriers = 0;
  let wasCut = false;
  return part => {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        // Nearly all parts.
        if (part.own === undefined) return emit(part as unknown as PlainObject);
        break;
      case 'stream-start':
        return emit({ ...part, warnings: part.warnings.map(version.writeWarning) });
      case 'finish':
        return emit(writeFinish(part, version, wasCut));
      case 'custom': {
        if (version.hasCustomParts) break;
        const providerMetadata = writeCarrier(part, part.providerMetadata);
        if (!call.isStream) return emit({ type: 'reasoning', text: '', providerMetadata });
        const id = `custom-${carriers++}`;
        emit({ type: 'reasoning-start', id, providerMetadata });
        return emit({ type: 'reasoning-end', id, providerMetadata });
      }
      case 'file':
      case 'reasoning-file':
        return emit(version.writeFile(part));
      case 'error':
        wasCut ||= isCut(part.error);
        return emit({ ...part });
      case 'raw':
      case 'response-metadata':
        return emit(part as unknown as PlainObject);
    }
    if (version.partTypes?.has(part.type) === false) return;
    const { own, output: _, ofLoop: __, isComplete: ___, ...rest }: PlainObject = { ...part };
    emit(version.writePart(withMetadata(rest, own)));
  };
}

/** The end of a response, which a generated result contains as well. */
export function writeFinish(
  { own, structuredOutputText: _, ...finish }: Extract<Part, { type: 'finish' }>,
  version: Version,
  wasCut = false,
): PlainObject {
  const { finishReason, usage } = finish;
  return {
    ...withMetadata({ ...finish }, own),
    finishReason: version.writeFinishReason(finishReason, wasCut),
    usage: version.writeUsage(usage),
  };
}
