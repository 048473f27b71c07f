import type { ReactNode } from 'react';
import { toLink } from './routes.js';

export interface MissingProps {
  readonly title: string;
  readonly children: ReactNode;
  /** The way back. */
  readonly path: string;
  readonly link: string;
}

/** Shown in place of something that the address names and that does not exist. */
export function Missing({ title, children, path, link }: MissingProps) {
  return (
    <div className="missing" role="status">
      <h2>{title}</h2>
      <p className="quiet">{children}</p>
      <p>
        <a className="button" {...toLink(path)}>
          {link}
        </a>
      </p>
    </div>
  );
}
