import type { FileUIPart } from 'ai';
import { type RefObject, useEffect, useRef } from 'react';
import { ATTACHMENT_TYPES } from '../../shared/playground-state.js';
import { useFileUrl } from './use-file-url.js';
import type { AttachmentsHook } from './use-attachments.js';
import { Icon } from '../ui/icon.js';
import { Problem } from '../ui/problem.js';

/** Opens the file dialog of the browser. */
export function AttachButton({ attachments }: { attachments: AttachmentsHook }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        className="hidden"
        type="file"
        multiple
        tabIndex={-1}
        aria-label="Files to attach"
        accept={ATTACHMENT_TYPES.join(',')}
        onChange={event => {
          void attachments.add(event.target.files ?? []);
          // The same file can be selected again after it was removed.
          event.target.value = '';
        }}
      />
      <button
        type="button"
        className="icon-button"
        aria-label="Attach images or PDFs"
        title="Attach images or PDFs. You can also paste or drop them."
        onClick={() => input.current?.click()}
      >
        <Icon name="attach" />
      </button>
    </>
  );
}

/** Files of a message that is written, each with a button that removes it, and the reason why others were rejected. */
export function AttachmentDraft({ attachments }: { attachments: AttachmentsHook }) {
  const { files, problem, remove } = attachments;
  return (
    <>
      {files.length > 0 && (
        <ul className="attachments" aria-label="Attached files">
          {files.map((file, index) => (
            <li key={index}>
              <Preview file={file} />
              <button
                type="button"
                className="icon-button"
                aria-label={`Remove ${file.filename ?? 'the file'}`}
                onClick={() => remove(index)}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Problem>{problem}</Problem>
    </>
  );
}

/** Files of a message. */
export function AttachmentList({ files }: { files: readonly FileUIPart[] }) {
  if (files.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Files of this message">
      {files.map((file, index) => (
        <li key={index}>
          <StoredFile file={file} />
        </li>
      ))}
    </ul>
  );
}

function StoredFile({ file }: { file: FileUIPart }) {
  const url = useFileUrl(file.url);
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      <Preview file={url === undefined ? file : { ...file, url }} />
    </a>
  );
}

function Preview({ file }: { file: FileUIPart }) {
  const { mediaType, filename = 'A file' } = file;
  const url = useFileUrl(file.url);
  return mediaType.startsWith('image/') ? (
    <img src={url} alt={filename} title={filename} />
  ) : (
    <span className="attached-document">
      <span className="tag">PDF</span> {filename}
    </span>
  );
}

/** Attaches files that are dropped on the conversation around an element. */
export function useDroppedFiles(element: RefObject<HTMLElement | null>, add: AttachmentsHook['add']): void {
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    const area = element.current?.closest('main');
    if (!area) return;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const allow = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      void latest.current(event.dataTransfer?.files ?? []);
    };
    area.addEventListener('dragover', allow);
    area.addEventListener('drop', drop);
    return () => {
      area.removeEventListener('dragover', allow);
      area.removeEventListener('drop', drop);
    };
  }, [element]);
}
