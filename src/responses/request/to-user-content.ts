import { type LanguageModelV2Message, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { readPartOptions, toCacheBreakpoint } from './part-options.js';
import type { InputContent } from '../wire.js';
import { toFileContent } from './to-file-content.js';

type UserPart = Extract<LanguageModelV2Message, { role: 'user' }>['content'][number];
type UserFile = Extract<UserPart, { type: 'file' }>;

/**
 * What the user wrote and attached.
 *
 * @throws UnsupportedFunctionalityError for files the API cannot take, such as audio.
 */
export function toUserContent(
  parts: readonly UserPart[],
  { warn }: { warn: (message: string) => void },
): InputContent[] {
  return parts.flatMap((part, index): InputContent[] => {
    const breakpoint = toCacheBreakpoint(readPartOptions(part.providerOptions).promptCacheBreakpoint);
    switch (part.type) {
      case 'text':
        return [{ type: 'input_text', text: part.text, ...breakpoint }];
      case 'file':
        return [{ ...toUserFile(part, index), ...breakpoint }];
      default:
        warn(`User content of type "${(part as { type: string }).type}" is not known and not sent.`);
        return [];
    }
  });
}

function toUserFile(part: UserFile, index: number): InputContent {
  const content = toFileContent(part.data, {
    mediaType: part.mediaType,
    filename: part.filename,
    imageDetail: readPartOptions(part.providerOptions).imageDetail,
    defaultName: extension => `part-${index}.${extension}`,
  });
  if (content === undefined) {
    const functionality = `file part media type ${part.mediaType}`;
    throw new UnsupportedFunctionalityError({
      functionality,
      message:
        `Expected text, images or files, which is what the Responses API takes; got a file of media type ` +
        `${part.mediaType}. Remove it or send its content as text, such as a transcript.`,
    });
  }
  return content;
}
