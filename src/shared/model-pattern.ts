/** Converts a model id pattern, whose `*` stands for any characters, to a regular expression. */
export const toModelExpression = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split('*')
      .map(text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );
