import { useEffect, useId, useRef, useState } from 'react';
import type { Side } from '../../shared/playground-state.js';
import type { Flag } from '../../shared/trace-event.js';
import { useModels } from '../page/use-models.js';
import { useShortcuts } from '../chat/use-shortcuts.js';
import { type MessageContent, useThread } from '../chat/use-thread.js';
import { ConnectionNote } from '../page/connection-note.js';
import { Composer } from '../chat/composer.js';
import type { ConversationProps } from '../chat/conversation-props.js';
import { EmptyState } from '../chat/empty-state.js';
import { LastComparison } from './last-comparison.js';
import { ThreadView } from '../chat/thread-view.js';
import { Toolbar } from '../chat/toolbar.js';
import { Select } from '../ui/select.js';

type Sides = Readonly<Record<'left' | 'right', Side>>;

/** The same questions to two providers or two models, side by side. */
export function CompareConversation(props: ConversationProps) {
  const { conversationId, page, onDeselect, draftText } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const [chosen, setChosen] = useState<Partial<Sides>>({});
  const sides = { ...readSides(page), ...chosen };
  const left = useThread(page, { conversationId, thread: 'left', side: sides.left });
  const right = useThread(page, { conversationId, thread: 'right', side: sides.right });
  const both = [left, right];
  const titles = toTitles(sides);

  const ask = (content: MessageContent): void => {
    onDeselect();
    for (const thread of both) thread.ask(content);
    field.current?.focus();
  };
  const stop = (): void => both.filter(thread => thread.isRunning).forEach(thread => thread.stop());
  useShortcuts({ onFocus: () => field.current?.focus(), onStop: stop });
  const fields = (name: keyof Sides) => (
    <SideFields
      title={name === 'left' ? 'Left' : 'Right'}
      side={sides[name]}
      endpoint={page.state?.settings.endpoint}
      conversationId={conversationId}
      onChange={side => setChosen(known => ({ ...known, [name]: side }))}
    />
  );
  return (
    <section className="conversation" aria-label="Conversation">
      <Toolbar conversationId={conversationId} page={page}>
        <p className="toolbar-title">Compare</p>
      </Toolbar>
      <ConnectionNote connection={page.connection} />
      {left.messages.length === 0 ? (
        <>
          <div className="side-choice">
            {fields('left')}
            {fields('right')}
          </div>
          <EmptyState
            onAsk={text => ask({ text, files: [] })}
            filesFolder={page.state?.filesFolder}
            isCompared
          />
        </>
      ) : (
        <>
          <div className="side-by-side">
            <section aria-label={titles.left}>
              <h2 className="hidden">{titles.left}</h2>
              {fields('left')}
              <ThreadView thread={left} label={`Responses of ${titles.left}`} {...props} />
            </section>
            <section aria-label={titles.right}>
              <h2 className="hidden">{titles.right}</h2>
              {fields('right')}
              <ThreadView thread={right} label={`Responses of ${titles.right}`} {...props} />
            </section>
          </div>
          <LastComparison left={left} right={right} titles={titles} {...props} />
        </>
      )}
      <Composer
        ref={field}
        conversationId={conversationId}
        initialText={draftText}
        isRunning={both.some(thread => thread.isRunning)}
        onSend={ask}
        onStop={stop}
        modelId={sides.left.modelId === sides.right.modelId ? sides.left.modelId : 'both models'}
      />
    </section>
  );
}

/** Returns provider and model of the last turn of each side, or both providers with the model of the settings. */
function readSides({ conversation, state }: ConversationProps['page']): Sides {
  const modelId = state?.settings.modelId ?? '';
  const read = (thread: keyof Sides, flag: Flag): Side => {
    const outline = conversation?.threads[thread]?.findLast(stored => stored.outline.length > 0)?.outline;
    const start = outline?.find(event => event.type === 'turn-start');
    return start === undefined ? { flag, modelId } : { flag: start.flag ?? flag, modelId: start.modelId };
  };
  return { left: read('left', 'kelivo'), right: read('right', 'official') };
}

const providers = { kelivo: 'Kelivo', official: 'Official' } as const;

/** Names what differs: providers, models, or both. */
function toTitles({ left, right }: Sides): Readonly<Record<keyof Sides, string>> {
  const isSameModel = left.modelId === right.modelId;
  const isSameProvider = left.flag === right.flag;
  const title = ({ flag, modelId }: Side, name: string): string => {
    if (isSameModel) return isSameProvider ? `${providers[flag]} (${name})` : providers[flag];
    return isSameProvider ? modelId : `${providers[flag]} · ${modelId}`;
  };
  return { left: title(left, 'left'), right: title(right, 'right') };
}

interface SideFieldsProps {
  readonly title: string;
  readonly side: Side;
  readonly endpoint: string | undefined;
  readonly conversationId: string;
  readonly onChange: (side: Side) => void;
}

/** Provider and model of the next turn of a side. */
function SideFields({ title, side, endpoint, conversationId, onChange }: SideFieldsProps) {
  const listId = useId();
  const [modelId, setModelId] = useState(side.modelId);
  useEffect(() => setModelId(side.modelId), [side.modelId]);
  const list = useModels(endpoint, conversationId);
  const save = (): void => {
    const changed = modelId.trim();
    if (changed === '') setModelId(side.modelId);
    else if (changed !== side.modelId) onChange({ ...side, modelId: changed });
  };
  return (
    <div className="side-fields">
      <Select
        aria-label={`${title}: provider`}
        value={side.flag}
        choices={Object.entries(providers).map(([value, title]) => ({ value, title }))}
        onChange={flag => onChange({ ...side, flag: flag as Flag })}
      />
      <input
        className="input"
        aria-label={`${title}: model`}
        list={listId}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={modelId}
        onChange={event => setModelId(event.target.value)}
        onBlur={save}
        onKeyDown={event => event.key === 'Enter' && save()}
      />
      <datalist id={listId}>
        {list?.models.map(id => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </div>
  );
}
