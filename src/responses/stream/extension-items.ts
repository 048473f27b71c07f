import type { CoreCall } from '../../core/call.js';
import { itemOf } from '../../core/custom.js';
import type { Part, PartOf } from '../../core/part.js';
import { messageOf } from '../../core/shared/errors.js';
import { idOf, type PlainObject, stringOf } from '../../core/shared/json.js';
import type {
  Awaitable,
  ExtensionPart,
  ExtensionRegistry,
  Namespaced,
  OpenResponsesExtension,
  ShownPart,
} from './extension.js';
import type { HostDeclarations } from './hosted-item.js';

export interface ReadContext {
  readonly call: Pick<CoreCall, 'isStream' | 'includeRawChunks'>;
  readonly declared: HostDeclarations;
  /** Called when a call of an extension begins. @default it is not noted */
  readonly onCall?: () => void;
}

/** Shows the items and events of one response. */
export function createDecoder(context: ReadContext, registry: ExtensionRegistry) {
  const states = new Map<string, Map<string, unknown>>();
  const calls = new Set<string>();
  const results = new Set<string>();
  let hasHostCalls = false;

  return { convert, hasHostCalls: () => hasHostCalls };

  async function convert(part: Part): Promise<readonly Part[]> {
    if (part.type === 'raw') return convertEvent(part);
    const item = part.type === 'custom' ? itemOf(part) : undefined;
    const extension = registry.byItem.get(stringOf(item?.type));
    if (part.type !== 'custom' || item === undefined || extension === undefined) return [part];
    const mode = context.call.isStream ? 'stream' : 'generate';
    const decoded = await attempt(extension, item, () =>
      extension.decodeItem?.({ item: item as Namespaced & { id: string; status: string }, mode }),
    );
    const shows = [...new Set(decoded.flatMap(one => ('toolCallId' in one ? [one.toolCallId] : [])))];
    const carrier = shows.length === 0 ? part : { ...part, own: { ...part.own, shows } };
    return [carrier, ...decoded.flatMap(one => show(one, idOf(item.id)))];
  }

  async function convertEvent(part: PartOf<'raw'>): Promise<readonly Part[]> {
    const event = part.rawValue as Namespaced & { sequence_number: number };
    const extension = registry.byEvent.get(event.type);
    if (extension === undefined) return [part];
    const state = states.get(extension.id) ?? new Map<string, unknown>();
    states.set(extension.id, state);
    const decoded = await attempt(extension, event, () => extension.decodeEvent?.({ event, state }));
    const shown = decoded.flatMap(one => show(one, idOf(event.item_id)));
    return context.call.includeRawChunks === true ? [part, ...shown] : shown;
  }

  /** The failure of a codec is an error of the response. */
  async function attempt(
    extension: OpenResponsesExtension,
    item: PlainObject,
    decode: () => Awaitable<readonly ExtensionPart[] | undefined>,
  ): Promise<readonly (ShownPart | PartOf<'error'>)[]> {
    try {
      return ((await decode()) ?? []) as readonly ShownPart[];
    } catch (cause) {
      const message = `The extension "${extension.id}" could not show "${stringOf(item.type)}": ${messageOf(cause)}`;
      return [{ type: 'error', error: new Error(message, { cause }) }];
    }
  }

  /** Returns the parts that the host accepts. A call is shown once, by an event or by its item. */
  function show(part: ShownPart | PartOf<'error'>, ofItem: string | undefined): readonly Part[] {
    if (part.type === 'error') return [part];
    const shown = ofItem === undefined ? part : { ...part, own: { ...part.own, ofItem } };
    if (part.type === 'tool-input-start') context.onCall?.();
    if (part.type !== 'tool-call' && part.type !== 'tool-result') return [shown];
    const known = part.type === 'tool-call' ? calls : results;
    const isFinal = part.type === 'tool-call' || part.preliminary !== true;
    if (known.has(part.toolCallId)) return [];
    if (isFinal) known.add(part.toolCallId);
    const isHostCall = part.type === 'tool-call' && part.providerExecuted !== true;
    hasHostCalls ||= isHostCall;
    const mode =
      isHostCall || context.declared.names.has(part.toolName)
        ? 'full'
        : context.declared.host.undeclaredCalls;
    if (mode === 'none') return [];
    if (mode === 'full' || part.type === 'tool-result') return [shown];
    const { toolCallId: id, toolName, input } = part;
    context.onCall?.();
    return [
      { type: 'tool-input-start', id, toolName, providerExecuted: true },
      { type: 'tool-input-delta', id, delta: input },
      { type: 'tool-input-end', id },
    ];
  }
}
