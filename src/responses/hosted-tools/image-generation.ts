import * as z from 'zod/v4';
import { asJson, idOf, objectOf, stringOf } from '../../core/shared/json.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import type { InputContent } from '../wire.js';
import {
  type HostedTool,
  presentFields,
  type SentItem,
  type ServerCall,
  defineHostedTool,
} from './hosted-tool.js';

/** All arguments are optional. Without them, the defaults of the API apply. */
export interface ImageGenerationToolArguments {
  /** `generate` draws a new image, `edit` changes one, `auto` lets the model decide. */
  action?: 'generate' | 'edit' | 'auto';
  background?: 'auto' | 'opaque' | 'transparent';
  /** Fidelity to the faces and the style of input images. */
  inputFidelity?: 'low' | 'high';
  /** The area of an image to edit. */
  inputImageMask?: { fileId?: string; imageUrl?: string };
  /** The image model. */
  model?: string;
  moderation?: 'auto' | 'low';
  /** Compression level of the image, from 0 to 100. */
  outputCompression?: number;
  outputFormat?: 'png' | 'jpeg' | 'webp';
  /** Number of partial images in a stream, from 0 to 3. */
  partialImages?: number;
  quality?: 'auto' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  size?: 'auto' | '1024x1024' | '1024x1536' | '1536x1024' | (string & {});
}

export interface ImageGenerationOutput {
  /** The image, in base64. */
  result: string;
}

/** Draws and edits images on OpenAI's servers. */
export const imageGeneration = defineHostedTool<
  object,
  ImageGenerationOutput,
  ImageGenerationToolArguments
>()({
  id: 'openai.image_generation',
  name: 'image_generation',
  isProviderExecuted: true,
  toSchemas: () => ({ inputSchema: z.object({}), outputSchema: z.object({ result: z.string() }) }),
});

export const imageGenerationTool: HostedTool = {
  declarations: { 'openai.image_generation': { type: 'image_generation', choiceFields: [] } },
  items: {
    image_generation_call: {
      toolName: 'image_generation',
      emitsCallAtStart: true,
      result: item => ({ result: asJson(item.result ?? null), ...presentFields({ error: item.error }) }),
      isError: item => item.status === 'failed' || (item.error !== undefined && item.error !== null),
      preview: {
        event: 'response.image_generation_call.partial_image',
        result(event) {
          const result = idOf(event.partial_image_b64);
          return result === undefined ? undefined : { result };
        },
        isRequested: item => Number(item.partialImages) > 0,
      },
    },
  },
  serverReplay: toItems,
  toUserContent,
  history: hostedCallNames.imageGeneration,
};

/** Rebuilds the item, which the API accepts with its image even if it has not stored it. */
function toItems(call: ServerCall): readonly SentItem[] | undefined {
  const itemId = idOf(call.options.itemId) ?? call.id;
  const image = stringOf(objectOf(call.result)?.result);
  if (call.isError || image === '' || !itemId.startsWith('ig_')) return undefined;
  return [{ type: 'image_generation_call', id: itemId, status: 'completed', result: image }];
}

/**
 * Returns the image as an input image, so that the model can edit it in a later turn although the server does not store
 * its call. The API accepts raster images only.
 */
function toUserContent(call: ServerCall): readonly InputContent[] | undefined {
  const data = stringOf(objectOf(call.result)?.result);
  const format = imageFormats.find(([beginning]) => data.startsWith(beginning))?.[1];
  return format === undefined
    ? undefined
    : [{ type: 'input_image', image_url: `data:image/${format};base64,${data}` }];
}

/**
 * Formats by the beginning of their base64 text. Neither this package nor the official provider keeps `output_format` in the
 * result.
 */
const imageFormats = [
  ['iVBORw0KGgo', 'png'],
  ['/9j/', 'jpeg'],
  ['UklGR', 'webp'],
  ['R0lGOD', 'gif'],
] as const;
