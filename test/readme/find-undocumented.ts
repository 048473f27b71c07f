import { type DeclarationReflection, type ProjectReflection, ReflectionKind } from 'typedoc';
import { SETTINGS } from './render-options.js';

const NEED_A_SENTENCE =
  ReflectionKind.Function |
  ReflectionKind.Class |
  ReflectionKind.Interface |
  ReflectionKind.TypeAlias |
  ReflectionKind.Variable |
  ReflectionKind.Method;

/**
 * Exports and methods without a sentence that says what they are, and so options that may be left out: whoever sets one
 * has to know what happens without it. What must be there and is named in whole words speaks for itself.
 */
export function findUndocumented(project: ProjectReflection): string[] {
  const declarations = project.getReflectionsByKind(ReflectionKind.All) as DeclarationReflection[];
  return declarations
    .filter(declaration => needsSentence(declaration) && !hasSentence(declaration))
    .map(
      declaration => `${declaration.getFullName()} (${declaration.sources?.[0]?.fileName ?? 'unknown file'})`,
    )
    .sort();
}

function needsSentence(declaration: DeclarationReflection): boolean {
  if (declaration.kindOf(NEED_A_SENTENCE)) return declaration.inheritedFrom === undefined;
  const isOption =
    declaration.kindOf(ReflectionKind.Property) &&
    declaration.flags.isOptional &&
    declaration.parent?.kindOf(ReflectionKind.Interface) &&
    SETTINGS.test(declaration.parent.name);
  return isOption === true && declaration.inheritedFrom === undefined;
}

function hasSentence(declaration: DeclarationReflection): boolean {
  const own = declaration.comment;
  if (own !== undefined && (own.hasVisibleComponent() || own.blockTags.length > 0)) return true;
  return declaration.signatures?.some(signature => signature.hasComment()) === true;
}
