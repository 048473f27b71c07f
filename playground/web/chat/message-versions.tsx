import type { ShownMessage } from './use-thread.js';

/** Switches between the versions of a message, and reports an attempt that did not replace it. */
export function MessageVersions({
  shown: { message, versions, failedVersion },
  onShow,
}: {
  readonly shown: ShownMessage;
  /** Shows another version of the message. */
  readonly onShow: (messageId: string) => void;
}) {
  if (versions.length < 2) return null;
  const index = versions.indexOf(message.id);
  const step = (by: number, label: string, text: string) => {
    const target = versions[index + by];
    return (
      <button
        type="button"
        className="icon-button"
        aria-label={label}
        disabled={target === undefined}
        onClick={() => target !== undefined && onShow(target)}
      >
        {text}
      </button>
    );
  };
  return (
    <>
      <div className="versions button-row">
        {step(-1, 'Previous version', '‹')}
        <span>
          {index + 1} of {versions.length}
        </span>
        {step(1, 'Next version', '›')}
      </div>
      {failedVersion !== undefined && (
        <p className="note warning" role="status">
          {failedVersion.end === 'stopped'
            ? 'A new response was stopped. This one is kept.'
            : `A new response failed, and this one is kept. ${failedVersion.message ?? ''}`}{' '}
          <button type="button" className="button subtle" onClick={() => onShow(failedVersion.id)}>
            Show it
          </button>
        </p>
      )}
    </>
  );
}
