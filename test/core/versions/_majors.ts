import * as google2 from '@ai-sdk/google';
import * as openai2 from '@ai-sdk/openai';
import * as compatible1 from '@ai-sdk/openai-compatible';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import * as google3 from 'google3';
import * as google4 from 'google4';
import * as v2 from '../../../src/index.js';
import type { KelivoResponsesProvider, KelivoResponsesSettings } from '../../../src/index.js';
import * as v3 from '../../../src/v3.js';
import * as v4 from '../../../src/v4.js';
import * as openai3 from 'openai3';
import * as openai4 from 'openai4';
import * as compatible2 from 'openai-compatible2';
import * as compatible3 from 'openai-compatible3';

/** The AI SDK with the types of version 5. All majors share the functions that the tests use. */
export type AiSdk = typeof ai5;

export type Version = 'v2' | 'v3' | 'v4';

/** A language model of any version. The majors of `ai` accept it after a cast. */
export interface AnyModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: unknown;
  doGenerate(options: never): PromiseLike<object>;
  doStream(options: never): PromiseLike<{ stream: ReadableStream<unknown> }>;
}

interface Connection {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly [setting: string]: unknown;
}

type CreateModels = (connection: Connection) => {
  readonly chat: (modelId: string) => AnyModel;
  readonly responses: (modelId: string) => AnyModel;
};

/** A major of `ai` with the packages that npm installs next to it. */
export interface Major {
  readonly ai: 5 | 6 | 7;
  readonly version: Version;
  readonly sdk: AiSdk;
  /** The provider of the entry for this major, with the types of the main entry. */
  readonly createKelivo: (settings: KelivoResponsesSettings) => KelivoResponsesProvider;
  /** Converts a model to the version of this major. */
  readonly convert: (model: AnyModel) => AnyModel;
  readonly importOpenAI: () => Promise<typeof openai2>;
  /** Imports the packages of a registry. */
  readonly importModule: (name: string) => Promise<unknown>;
  /** Models of the official packages, without anything of this package. */
  readonly openai: CreateModels;
  readonly compatible: (connection: Connection) => (modelId: string) => AnyModel;
  readonly google: (connection: Connection) => (modelId: string) => AnyModel;
  /** Declares a web search that the server runs. */
  readonly webSearch: () => ai5.Tool;
}

// The types of the majors differ. `types/` checks them.
const cast = <Type>(value: unknown): Type => value as Type;

const major = ({
  openai,
  compatible,
  google,
  ...rest
}: Pick<Major, 'ai' | 'version' | 'sdk' | 'createKelivo' | 'convert' | 'webSearch'> & {
  openai: unknown;
  compatible: unknown;
  google: unknown;
}): Major => {
  const { createOpenAI } = cast<typeof openai2>(openai);
  const { createOpenAICompatible } = cast<typeof compatible1>(compatible);
  const { createGoogleGenerativeAI } = cast<typeof google2>(google);
  const packages: Readonly<Record<string, unknown>> = {
    '@ai-sdk/openai': openai,
    '@ai-sdk/openai-compatible': compatible,
    '@ai-sdk/google': google,
  };
  return {
    ...rest,
    importOpenAI: async () => cast<typeof openai2>(openai),
    importModule: async name => packages[name] ?? Promise.reject(new Error(`There is no package ${name}.`)),
    openai(connection) {
      const provider = createOpenAI(connection);
      return { chat: id => cast(provider.chat(id)), responses: id => cast(provider.responses(id)) };
    },
    compatible(connection) {
      const provider = createOpenAICompatible({ name: 'local', includeUsage: true, ...connection });
      return id => cast(provider(id));
    },
    google(connection) {
      const provider = createGoogleGenerativeAI(connection);
      return id => cast(provider(id));
    },
  };
};

export const majors: readonly Major[] = [
  major({
    ...{ ai: 5, version: 'v2', sdk: ai5, openai: openai2, compatible: compatible1, google: google2 },
    createKelivo: v2.createKelivoResponsesProvider,
    convert: cast(v3.toLanguageModelV2),
    webSearch: () => cast(openai2.openai.tools.webSearch({})),
  }),
  major({
    ...{ ai: 6, version: 'v3', sdk: cast(ai6), openai: openai3, compatible: compatible2, google: google3 },
    createKelivo: cast(v3.createKelivoResponsesProvider),
    convert: cast(v3.toLanguageModelV3),
    webSearch: () => cast(openai3.openai.tools.webSearch({})),
  }),
  major({
    ...{ ai: 7, version: 'v4', sdk: cast(ai7), openai: openai4, compatible: compatible3, google: google4 },
    createKelivo: cast(v4.createKelivoResponsesProvider),
    convert: cast(v4.toLanguageModelV4),
    webSearch: () => cast(openai4.openai.tools.webSearch({})),
  }),
];

/** Returns a model of any version as one that `generateText` and `streamText` accept. */
export const asModel = (model: unknown): ai5.LanguageModel => cast(model);
