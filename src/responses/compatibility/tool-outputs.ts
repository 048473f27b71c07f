import type { Compatibility } from './compatibility.js';
import {
  type FunctionCallOutput,
  type InputContent,
  type InputImage,
  type InputItem,
  isFunctionCall,
  isFunctionCallOutput,
  type UserMessage,
} from '../wire.js';

type ToolImages = 'output' | 'user-message' | 'text';

/** Converts tool outputs to the content that the endpoint accepts. */
export function toCompatibleOutputs(
  items: InputItem[],
  { toolOutput = 'any', toolImages = 'output', images: acceptsImages = true }: Compatibility,
): InputItem[] {
  if (!acceptsImages) return toCompatibleOutputs(withoutImages(items), { toolOutput, toolImages });
  const isString = toolOutput === 'string';
  const images: ToolImages = isString && toolImages === 'output' ? 'text' : toolImages;
  if (images === 'output' || !items.some(item => isAffected(item, isString))) return items;

  const toolNames = new Map(
    items.flatMap(item => (isFunctionCall(item) ? [[item.call_id, item.name] as const] : [])),
  );
  const converted: InputItem[] = [];
  let moved: InputContent[] = [];
  const placeMoved = (): void => {
    if (moved.length > 0) converted.push({ role: 'user', content: moved });
    moved = [];
  };
  for (const item of items) {
    // The outputs of parallel calls stay together: servers made for chat completions reject other items between them.
    if (!isFunctionCallOutput(item)) placeMoved();
    if (!isFunctionCallOutput(item) || typeof item.output === 'string') {
      converted.push(item);
      continue;
    }
    converted.push({ ...item, output: toOutput(item.output, { images, isString }) });
    const shown = images === 'user-message' ? item.output.filter(isImage) : [];
    if (shown.length === 0) continue;
    const origin = toolNames.get(item.call_id) ?? item.call_id;
    moved.push({ type: 'input_text', text: `Images in the output of the tool ${origin}:` }, ...shown);
  }
  placeMoved();
  return converted;
}

/** Replaces the images of messages and tool outputs with a notice, for models that read text only. */
function withoutImages(items: InputItem[]): InputItem[] {
  if (countImages(items) === 0) return items;
  const toNotices = (content: readonly InputContent[]) =>
    content.map(part => (isImage(part) ? { type: 'input_text' as const, text: NO_IMAGES_NOTICE } : part));
  return items.map((item): InputItem => {
    if (isFunctionCallOutput(item) && typeof item.output !== 'string' && item.output.some(isImage)) {
      return { ...item, output: toNotices(item.output) };
    }
    return isUserMessage(item) && item.content.some(isImage)
      ? { ...item, content: toNotices(item.content) }
      : item;
  });
}

/** Returns the number of images that a model sees. */
export const countImages = (items: readonly InputItem[]): number =>
  items
    .flatMap((item): readonly (InputContent | string)[] =>
      isFunctionCallOutput(item) ? [item.output].flat() : isUserMessage(item) ? item.content : [],
    )
    .filter(part => typeof part !== 'string' && isImage(part)).length;

const isUserMessage = (item: InputItem): item is UserMessage => 'role' in item && item.role === 'user';

function isAffected(item: InputItem, isString: boolean): boolean {
  if (!isFunctionCallOutput(item) || typeof item.output === 'string') return false;
  return isString || item.output.some(isImage);
}

function toOutput(
  content: readonly InputContent[],
  { images, isString }: { images: ToolImages; isString: boolean },
): FunctionCallOutput['output'] {
  const shown = content.map(part => {
    if (part.type === 'input_text') return part;
    const notice = isImage(part) ? IMAGE_NOTICES[images] : isString ? toFileNotice(part) : undefined;
    return notice === undefined ? part : { type: 'input_text' as const, text: notice };
  });
  return isString ? shown.flatMap(part => (part.type === 'input_text' ? [part.text] : [])).join('\n') : shown;
}

/** Text that replaces an image. */
const IMAGE_NOTICES: Readonly<Record<ToolImages, string | undefined>> = {
  output: undefined,
  'user-message': '[image: shown in the next message]',
  text: '[image omitted: this server accepts text only]',
};

const NO_IMAGES_NOTICE = '[image omitted: this model accepts text only]';

const toFileNotice = ({ filename }: { filename?: string }): string =>
  `[file${filename === undefined ? '' : ` ${filename}`} omitted: this server accepts text only]`;

const isImage = (part: InputContent): part is InputImage => part.type === 'input_image';
