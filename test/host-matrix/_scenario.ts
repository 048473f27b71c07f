import type { Host, Mode } from './_host.js';
import type { Scene } from './_scene.js';

/** Something that hosts do, and what must come of it in each of them. */
export interface Scenario {
  /** A row of the matrix. */
  readonly name: string;
  /** The ways to call that it has. @default both */
  readonly modes?: readonly Mode[];
  /** The forms of the provider that have it. @default both */
  readonly forms?: readonly Host['form'][];
  play(scene: Scene): Promise<void>;
}
