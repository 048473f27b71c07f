import { asJson } from '../../shared/json.js';
import { type HostedTool, renameFields } from './hosted-tool.js';

/** `image_generation`: draws and edits images on the server. */
export const imageGenerationTool: HostedTool = {
  declarations: {
    'openai.image_generation': {
      type: 'image_generation',
      toSettings: args => ({
        background: args.background,
        input_fidelity: args.inputFidelity,
        input_image_mask: renameFields(args.inputImageMask, { fileId: 'file_id', imageUrl: 'image_url' }),
        model: args.model,
        size: args.size,
        quality: args.quality,
        moderation: args.moderation,
        output_format: args.outputFormat,
        output_compression: args.outputCompression,
      }),
      choiceFields: [],
    },
  },
  items: {
    image_generation_call: {
      toolName: 'image_generation',
      emitsCallAtStart: true,
      result: ({ result }) => ({ result: asJson(result ?? null) }),
    },
  },
  history: { toolNames: ['image_generation'], idPrefixes: ['ig'] },
};
