import { useEffect, useState } from 'react';
import { AI_MAJORS, type AiMajor, type CodeView } from '../../shared/playground-state.js';
import { callApi } from '../page/api.js';
import { CopyButton } from '../ui/copy-button.js';
import { Dialog } from '../ui/dialog.js';
import { Segmented } from '../ui/segmented.js';
import { Problem } from '../ui/problem.js';
import { describeFailure } from '../../shared/failure.js';

type CodeLanguage = `${AiMajor}` | 'curl';

/** The next request as code: a program with this package for a major of `ai`, or curl. */
export function CodeDialog({ conversationId, onClose }: { conversationId: string; onClose: () => void }) {
  const [code, setCode] = useState<CodeView>();
  const [problem, setProblem] = useState<string>();
  const [language, setLanguage] = useState<CodeLanguage>('7');
  useEffect(() => {
    const controller = new AbortController();
    callApi<CodeView>(`/code?conversation=${conversationId}`, { signal: controller.signal })
      .then(setCode)
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setProblem(describeFailure(error));
      });
    return () => controller.abort();
  }, [conversationId]);
  const text = (language === 'curl' ? code?.curl : code?.typescript[language]) ?? '';
  return (
    <Dialog title="Code" isWide onClose={onClose}>
      <div className="code-dialog">
        <Segmented
          label="Language"
          value={language}
          options={[
            ...AI_MAJORS.map(major => ({
              value: `${major}` as const,
              title: `AI SDK ${major}`,
              hint: `TypeScript with this package and ai@${major}`,
            })),
            { value: 'curl', title: 'curl', hint: 'The request of the first round' },
          ]}
          onChange={setLanguage}
        />
        <Problem>{problem}</Problem>
        <p className="hint">
          {code === undefined && problem === undefined && 'Loading …'}
          {code !== undefined && code.environment.length > 0 && (
            <>
              Secrets are read from the environment: <code>{code.environment.join(', ')}</code>.{' '}
            </>
          )}
          {code !== undefined && 'The local tool word-count of the playground is not part of the code.'}
        </p>
        <div className="code-block code-view">
          <CopyButton label="Copy the code" text={() => text} />
          <pre tabIndex={0} role="region" aria-label="Code">
            {text}
          </pre>
        </div>
      </div>
    </Dialog>
  );
}
