import type { Host, Mode } from './_host.js';
import type { Scene } from './_scene.js';

/** A use case with the same expected result in every host. */
export interface Scenario {
  /** Title of its row in the matrix. */
  readonly name: string;
  /** Call modes that it supports. @default both */
  readonly modes?: readonly Mode[];
  /** Provider versions that support it. @default all */
  readonly versions?: readonly Host['version'][];
  play(scene: Scene): Promise<void>;
}
