/** The expression of a model id pattern, whose `*` stands for any characters. */
export const toModelExpression = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split('*')
      .map(text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );
