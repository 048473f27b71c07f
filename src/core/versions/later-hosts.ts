import { v2 } from './v2.js';
import { v3 } from './v3.js';
import { v4 } from './v4.js';
import type { HostOptions, Version } from './version.js';

/*
 * `ai` 6 and 7 accept models of earlier versions. They convert the finish reason and the usage of version 2, and `ai` 7
 * also converts the files of versions 2 and 3. Everything else passes unchanged (`as-language-model-v4.ts` of `ai` 7), so
 * it is written in the forms of the host. The earlier version has no form for calls of tools that the host did not declare.
 */

/** The version in which a model writes for a host whose major expects a later one. */
export interface LaterHost {
  /** The version that the host expects. */
  readonly expects: 'v3' | 'v4';
  readonly version: Version;
}

const { writeFinishReason, writeUsage } = v2;
const { name, writeFile } = v3;

const v2InHost6: LaterHost = {
  expects: 'v3',
  version: { ...v3, name: v2.name, writeFinishReason, writeUsage },
};

const v2InHost7: LaterHost = {
  expects: 'v4',
  version: { ...v4, name: v2.name, writeFile: v2.writeFile, writeFinishReason, writeUsage },
};

const v3InHost7: LaterHost = {
  expects: 'v4',
  version: { ...v4, name, writeFile, writeFinishReason: v3.writeFinishReason },
};

/**
 * Recognizes a host of a later major by the options of its call. The options of `ai` 7 always have the key `reasoning`.
 * Those of `ai` 6 differ from those of `ai` 5 in the user agent of `generateText` only, which ends in the release of `ai`.
 */
export function findLaterHost(
  version: Version,
  options: HostOptions,
  { isStream }: { isStream: boolean },
): LaterHost | undefined {
  if (version.name !== v2.name && version.name !== v3.name) return undefined;
  if ('reasoning' in options) return version.name === v2.name ? v2InHost7 : v3InHost7;
  return version.name === v2.name && !isStream && majorInUserAgent(options) === '6' ? v2InHost6 : undefined;
}

/**
 * Returns a warning for the first call of a version 2 model by a later host, which names the import that is meant. `ai` 7
 * supports models of version 3.
 */
export function createImportNotice(): (host: LaterHost) => string | undefined {
  let isTold = false;
  return laterHost => {
    if (isTold || laterHost.version.name !== v2.name) return undefined;
    isTold = true;
    const host = `\`ai@${laterHost.expects === 'v3' ? 6 : 7}\``;
    return (
      `Expected a model of version ${laterHost.expects} in ${host}, got one of version v2, which is that of \`ai@5\`. All calls ` +
      `and results are shown, but the host converts usage and files, and loses details. Import the provider from \`kelivo-responses/${laterHost.expects}\`, or set ` +
      `\`specificationVersion: '${laterHost.expects}'\`.`
    );
  };
}

function majorInUserAgent(options: HostOptions): string | undefined {
  const agent = (options.headers as Readonly<Record<string, unknown>> | undefined)?.['user-agent'];
  return typeof agent === 'string' ? /(?:^|\s)ai\/(\d+)\.\S+$/.exec(agent)?.[1] : undefined;
}
