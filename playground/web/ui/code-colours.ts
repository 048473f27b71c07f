import { common, createLowlight } from 'lowlight';
import { createElement, type ReactNode } from 'react';

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

const lowlight = createLowlight(common);

/** Code as spans with classes of highlight.js, or undefined if no grammar is known for the language. */
export const toColoured = (code: string, language: string): ReactNode =>
  lowlight.registered(language) ? toNodes(lowlight.highlight(language, code).children) : undefined;

const toNodes = (nodes: readonly Node[]): ReactNode[] =>
  nodes.map((node, key) => {
    if (node.type === 'text') return node.value;
    if (node.type !== 'element') return null;
    const { className } = node.properties;
    return createElement(
      'span',
      { key, ...(Array.isArray(className) && { className: className.join(' ') }) },
      toNodes(node.children as readonly Node[]),
    );
  });
