import ts from 'typescript';

/*
 * Reports a method of a class that is read without being called. Passed on, it would run without its object. Methods of
 * interfaces are not reported: most of them are closures. `@typescript-eslint/unbound-method` reports both.
 */

const MESSAGE =
  'The method {{name}} of the class {{owner}} is read without its object, and fails when it is called. Call it in an arrow ' +
  'function, or make it a property with an arrow function.';

/** Returns true for an expression that is called at once, assigned to, compared or tested. */
function isHarmless(node) {
  const { parent } = node;
  if (parent.type === 'CallExpression') return parent.callee === node;
  if (parent.type === 'AssignmentExpression') return parent.left === node;
  return parent.type === 'BinaryExpression' || parent.type === 'UnaryExpression';
}

const rule = {
  meta: { type: 'problem', schema: [], messages: { unbound: MESSAGE } },
  create(context) {
    const { program, esTreeNodeToTSNodeMap: nodes } = context.sourceCode.parserServices;
    const checker = program.getTypeChecker();
    const report = (node, symbol) => {
      const declaration = symbol?.valueDeclaration;
      if (declaration === undefined || !ts.isMethodDeclaration(declaration)) return;
      if (!ts.isClassLike(declaration.parent) || declaration.getSourceFile().isDeclarationFile) return;
      if (!/\bthis\b/.test(declaration.body?.getText() ?? '')) return;
      const owner = declaration.parent.name?.text ?? 'without a name';
      context.report({ node, messageId: 'unbound', data: { name: symbol.name, owner } });
    };
    return {
      MemberExpression(node) {
        if (!isHarmless(node)) report(node, checker.getSymbolAtLocation(nodes.get(node.property)));
      },
      'ObjectPattern > Property'(node) {
        const type = checker.getTypeAtLocation(nodes.get(node.parent));
        if (node.key.type === 'Identifier' && !node.computed) report(node, type.getProperty(node.key.name));
      },
    };
  },
};

export const boundMethods = { rules: { 'bound-methods': rule } };
