import type { FileUIPart } from 'ai';
import { useState } from 'react';
import { ATTACHMENT_LIMITS, ATTACHMENT_TYPES } from '../../shared/playground-state.js';
import { describeFailure } from '../../shared/failure.js';

/** Files that are attached to a message before it is sent. */
export interface AttachmentsHook {
  readonly files: readonly FileUIPart[];
  /** True while files are read, which a message that is sent now would not contain. */
  readonly isReading: boolean;
  /** Reason why the last files were not added. */
  readonly problem: string | undefined;
  add(files: Iterable<File>): Promise<void>;
  remove(index: number): void;
  clear(): void;
}

/** @param initial Files of a message that is edited. */
export function useAttachments(initial: readonly FileUIPart[] = []): AttachmentsHook {
  const [files, setFiles] = useState(initial);
  const [problem, setProblem] = useState<string>();
  const [reading, setReading] = useState(0);
  return {
    files,
    isReading: reading > 0,
    problem,
    async add(chosen) {
      const added = [...chosen];
      const found = findProblem(added, files);
      setProblem(found);
      if (found !== undefined) return;
      setReading(count => count + 1);
      try {
        const parts = await Promise.all(added.map(toPart));
        setFiles(known => [...known, ...parts]);
      } catch (error) {
        setProblem(describeFailure(error));
      }
      setReading(count => count - 1);
    },
    remove(index) {
      setProblem(undefined);
      setFiles(known => known.filter((_, place) => place !== index));
    },
    clear() {
      setProblem(undefined);
      setFiles([]);
    },
  };
}

/** Reports files that the server would reject, before they are read. */
function findProblem(added: readonly File[], known: readonly FileUIPart[]): string | undefined {
  const count = added.length + known.length;
  if (count > ATTACHMENT_LIMITS.count)
    return `Expected at most ${ATTACHMENT_LIMITS.count} files, got ${count}.`;
  for (const { name, type, size } of added) {
    if (!ATTACHMENT_TYPES.includes(type))
      return `Expected a PNG, JPEG, GIF or WebP image or a PDF, got ${name} with the type ${type || 'unknown'}.`;
    if (size > ATTACHMENT_LIMITS.file)
      return `Expected files of at most ${toMegabytes(ATTACHMENT_LIMITS.file)}, got ${name} with ${toMegabytes(size)}.`;
  }
  const sum = added.reduce((total, { size }) => total + size, 0) + known.reduce(addSize, 0);
  return sum > ATTACHMENT_LIMITS.message
    ? `Expected files of at most ${toMegabytes(ATTACHMENT_LIMITS.message)} in a message, got ${toMegabytes(sum)}.`
    : undefined;
}

/** Adds the size of a file that is not stored yet. The server checks stored files. */
const addSize = (sum: number, { url }: FileUIPart): number =>
  url.startsWith('data:') ? sum + ((url.length - url.indexOf(',') - 1) * 3) / 4 : sum;

const toMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

const toPart = (file: File): Promise<FileUIPart> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () =>
      resolve({ type: 'file', mediaType: file.type, filename: file.name, url: String(reader.result) });
    reader.onerror = () => reject(reader.error ?? new Error(`Could not read ${file.name}.`));
    reader.readAsDataURL(file);
  });
