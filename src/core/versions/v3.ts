import type { PlainObject } from '../shared/json.js';
import { v4 } from './v4.js';
import {
  COMMON_PARTS,
  mapOutput,
  omit,
  toPlainWarning,
  toUntaggedData,
  toUntaggedFile,
  type Version,
} from './version.js';

/** The version of `ai` 6. It has no `custom` parts, files by URL and citations. */
export const v3: Version = {
  name: 'v3',
  facts: { ...v4.facts, countsAllParts: true, repeatsStreams: false },
  providerTool: 'provider',
  hasCustomParts: false,
  partTypes: new Set([...COMMON_PARTS, 'tool-approval-request']),
  missingPromptParts: new Set(['reasoning-file']),
  hasApprovalTool: false,
  hasFilesInChatOutputs: false,
  writeFileData: toUntaggedData,
  writeFile: toUntaggedFile,
  writePart: part => omit(part, 'citations'),
  writeOutput: output =>
    mapOutput(output, part => {
      const { type, data, ...rest } = part;
      return type === 'file' ? toMedia(rest, data as PlainObject) : part;
    }),
  writeFinishReason: reason => ({
    unified: reason.unified === 'interrupted' ? 'other' : reason.unified,
    raw: reason.raw,
  }),
  writeUsage: v4.writeUsage,
  writeWarning: warning =>
    warning.type === 'deprecated' ? toPlainWarning(warning) : v4.writeWarning(warning),
  official: { ...v4.official, major: 3, sendsCompactions: false, readsReasoning: false },
};

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
