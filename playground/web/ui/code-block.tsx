import { type ReactNode, useEffect, useRef, useState } from 'react';
import { CopyButton } from './copy-button.js';
import { DiagramView } from './diagram-view.js';

/** Characters of the longest code that is coloured: a longer one would delay a frame. */
const MAX_COLOURED = 20_000;

export interface CodeBlockProps {
  readonly code: string;
  /** The word after the fence. Empty if there is none. */
  readonly language: string;
  /** True while the code grows. It has no colours then. */
  readonly isOpen?: boolean;
}

/** Code of an answer, with its language and a copy button. A diagram is drawn when its source is complete. */
export function CodeBlock({ code, language, isOpen = false }: CodeBlockProps) {
  const coloured = useColours(code, language, isOpen || code.length > MAX_COLOURED);
  const frame = (
    <CodeFrame language={language}>
      <code>{coloured ?? code}</code>
    </CodeFrame>
  );
  return language === 'mermaid' && !isOpen ? <DiagramView source={code}>{frame}</DiagramView> : frame;
}

/** The frame of preformatted text. */
export function CodeFrame({ language = '', children }: { language?: string; children: ReactNode }) {
  const pre = useRef<HTMLPreElement>(null);
  return (
    <div className="code-block">
      {language !== '' && <span className="code-language">{language}</span>}
      <CopyButton label="Copy the code" text={() => pre.current?.textContent ?? ''} />
      <pre ref={pre} tabIndex={0}>
        {children}
      </pre>
    </div>
  );
}

/** The grammars are loaded with the first code that names its language. Without them, the code stays plain. */
function useColours(code: string, language: string, isPlain: boolean): ReactNode {
  const [coloured, setColoured] = useState<{ code: string; nodes: ReactNode }>();
  useEffect(() => {
    if (isPlain || language === '') return;
    let isCurrent = true;
    import('./code-colours.js').then(
      ({ toColoured }) => {
        if (isCurrent) setColoured({ code, nodes: toColoured(code, language) });
      },
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [code, language, isPlain]);
  return coloured?.code === code ? coloured.nodes : undefined;
}
