import treeModule from '@uiw/react-json-view';
import { type ComponentProps, type CSSProperties, useMemo, useState } from 'react';
import { formatCount } from './format.js';
import { countNodes, groupEntries } from './json-groups.js';
import { CopyButton } from './copy-button.js';
import { Icon } from './icon.js';

/** The package has types for CommonJS only, where the component is a property of the import. Vite imports the component. */
const Tree = treeModule as unknown as typeof treeModule.default;

/** The colours of the page, by the names of the library. */
const style = {
  '--w-rjv-font-family': 'var(--mono)',
  '--w-rjv-background-color': 'transparent',
  '--w-rjv-color': 'var(--ink)',
  '--w-rjv-key-string': 'var(--accent)',
  '--w-rjv-key-number': 'var(--accent)',
  '--w-rjv-line-color': 'var(--line)',
  '--w-rjv-arrow-color': 'var(--quiet)',
  '--w-rjv-info-color': 'var(--quiet)',
  '--w-rjv-curlybraces-color': 'var(--quiet)',
  '--w-rjv-colon-color': 'var(--quiet)',
  '--w-rjv-brackets-color': 'var(--quiet)',
  '--w-rjv-ellipsis-color': 'var(--quiet)',
  '--w-rjv-quotes-color': 'var(--good)',
  '--w-rjv-quotes-string-color': 'var(--good)',
  '--w-rjv-type-string-color': 'var(--good)',
  '--w-rjv-type-int-color': 'var(--warn)',
  '--w-rjv-type-float-color': 'var(--warn)',
  '--w-rjv-type-boolean-color': 'var(--warn)',
  '--w-rjv-type-null-color': 'var(--warn)',
} as CSSProperties;

/** Nodes of a tree that opens to a depth of two only. */
const MANY_NODES = 300;

/** Characters of a string that are displayed initially. */
const SHORT_TEXT = 2000;

/** A string in quotes. The package passes its own limit only to the first level of a tree. */
function StringValue({ text }: { text: string }) {
  const [isComplete, setComplete] = useState(text.length <= SHORT_TEXT);
  return (
    <span className="json-string">
      "{isComplete ? text : `${text.slice(0, SHORT_TEXT)}…`}"
      {!isComplete && (
        <button type="button" className="button subtle" onClick={() => setComplete(true)}>
          {formatCount(text.length - SHORT_TEXT)} more characters
        </button>
      )}
    </span>
  );
}

/** Opens and closes a branch. A click on it reaches the line, which the package cannot operate by keyboard. */
function BranchButton({ 'data-expand': isOpen = false }: { 'data-expand'?: boolean }) {
  return (
    <button type="button" className="json-branch" aria-expanded={isOpen} aria-label="Branch">
      <Icon name="chevron" />
    </button>
  );
}

type TreeProps = ComponentProps<typeof Tree>;

const components: TreeProps['components'] = {
  arrow: <BranchButton />,
  value: ({ type, value }) => (type === 'string' ? <StringValue text={String(value)} /> : undefined),
};

/** JSON as a tree whose branches open and close. */
export function JsonTree({ value, label }: { value: unknown; label: string }) {
  const isTree = typeof value === 'object' && value !== null;
  const shown = useMemo(() => (isTree ? (groupEntries(value) as object) : undefined), [value, isTree]);
  return (
    <div className="json json-tree" role="region" aria-label={label} tabIndex={0}>
      <CopyButton label={`Copy ${label}`} text={() => JSON.stringify(value, null, 2) ?? ''} />
      {shown !== undefined ? (
        <Tree
          value={shown}
          collapsed={countNodes(shown) > MANY_NODES ? 2 : 6}
          style={style}
          displayDataTypes={false}
          enableClipboard={false}
          components={components}
        />
      ) : (
        <pre>{typeof value === 'string' ? value : JSON.stringify(value)}</pre>
      )}
    </div>
  );
}
