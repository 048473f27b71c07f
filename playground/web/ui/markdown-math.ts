import rehypeKatex from 'rehype-katex';
import remarkMath from 'remark-math';
import type { ComponentProps } from 'react';
import type { Streamdown } from 'streamdown';

export type MarkdownPlugins = NonNullable<ComponentProps<typeof Streamdown>['plugins']>;

/**
 * Formulas become MathML, which needs no styles and no fonts. They are untrusted: no links, and a limit for macros that
 * expand themselves.
 */
export const mathPlugins: MarkdownPlugins = {
  math: {
    name: 'katex',
    type: 'math',
    remarkPlugin: remarkMath,
    rehypePlugin: [
      rehypeKatex,
      {
        output: 'mathml',
        trust: false,
        strict: 'ignore',
        maxExpand: 200,
        maxSize: 20,
        errorColor: 'inherit',
      },
    ],
  },
};
