import type { GeneratedFile, Warning } from '../core/part.js';
import type { PlainObject } from '../shared/json.js';
import { v4 } from './v4.js';
import { COMMON_PARTS, mapOutput, omit, type Version, withMetadata } from './version.js';

/** The version of `ai` 6. It has no `custom` parts, files by URL and citations. */
export const v3: Version = {
  name: 'v3',
  facts: v4.facts,
  providerTool: 'provider',
  hasCustomParts: false,
  partTypes: new Set([...COMMON_PARTS, 'tool-approval-request']),
  missingPromptParts: new Set(['reasoning-file']),
  hasApprovalTool: false,
  hasFilesInChatOutputs: false,
  writeFileData: data => (data.type === 'data' ? data.data : data.type === 'url' ? data.url : data),
  writeFile: toUntaggedFile,
  writePart: part => omit(part, 'citations'),
  writeOutput: output =>
    mapOutput(output, part => {
      const { type, data, ...rest } = part;
      return type === 'file' ? toMedia(rest, data as PlainObject) : part;
    }),
  writeFinishReason: ({ unified, raw }) => ({ unified: unified === 'interrupted' ? 'other' : unified, raw }),
  writeUsage: v4.writeUsage,
  writeWarning: warning =>
    warning.type === 'deprecated' ? toPlainWarning(warning) : v4.writeWarning(warning),
};

/** Writes a generated file without a tag. One that is only known by its URL becomes a source. */
export function toUntaggedFile({ data, own, providerMetadata, ...file }: GeneratedFile): PlainObject {
  const facts = file.type === 'reasoning-file' ? { ...own, reasoningFile: true } : own;
  if (data.type === 'data')
    return withMetadata({ ...file, type: 'file', data: data.data, providerMetadata }, facts);
  const url = String(data.url);
  return withMetadata({ type: 'source', sourceType: 'url', id: url, url, providerMetadata }, facts);
}

/** Writes a file in an output under the types of `ai` 6. */
function toMedia(part: PlainObject, { type, data, url, text, reference }: PlainObject): PlainObject {
  const { mediaType, ...rest } = part;
  const isImage = String(mediaType).startsWith('image/');
  switch (type) {
    case 'url':
      return { type: isImage ? 'image-url' : 'file-url', ...rest, url: String(url) };
    case 'reference':
      return { type: isImage ? 'image-file-id' : 'file-id', ...rest, fileId: reference };
    case 'text':
      return { type: 'text', text };
    default:
      return { type: isImage ? 'image-data' : 'file-data', ...part, data };
  }
}

/** Writes a warning of a type that the version does not have. */
export function toPlainWarning(warning: Warning): PlainObject {
  const { feature, setting, details, message }: PlainObject = { ...warning };
  return { type: 'other', message: [feature ?? setting, details ?? message].filter(Boolean).join(': ') };
}
