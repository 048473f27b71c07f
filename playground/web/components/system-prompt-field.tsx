import { useEffect, useState } from 'react';
import { Field } from './field.js';

/** Instructions for the model, saved when the field is left. */
export function SystemPromptField({ value, onSave }: { value: string; onSave: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <Field label="System prompt">
      {props => (
        <textarea
          {...props}
          className="input"
          rows={3}
          placeholder="none"
          value={text}
          onChange={event => setText(event.target.value)}
          onBlur={() => text !== value && onSave(text)}
        />
      )}
    </Field>
  );
}
