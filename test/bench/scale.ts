/** How much is measured. */
export interface Scale {
  readonly samples: number;
  readonly warmUp: number;
  /** Text deltas of a streamed answer. */
  readonly deltas: number;
  /** Answers whose first token is waited for, in turns. */
  readonly firstTokens: number;
  /** Messages of conversations, ascending. */
  readonly messages: readonly number[];
  /** Deltas of the stream whose memory is watched. */
  readonly memoryDeltas: number;
  /** Arguments written as text, in kilobytes: one beside the peer, and two to compare with each other. */
  readonly textTools: { readonly besidePeer: number; readonly half: number; readonly whole: number };
  /** Turns with tools that wait, and how long a tool takes, in milliseconds. */
  readonly turns: number;
  readonly toolTime: number;
}

export const FULL: Scale = {
  samples: 9,
  warmUp: 3,
  deltas: 20_000,
  firstTokens: 300,
  messages: [10, 100, 1_000, 5_000],
  memoryDeltas: 1_000_000,
  textTools: { besidePeer: 80, half: 512, whole: 1_024 },
  turns: 7,
  toolTime: 50,
};

/** Enough to see that everything runs; its figures mean nothing. */
export const SMOKE: Scale = {
  samples: 1,
  warmUp: 0,
  deltas: 50,
  firstTokens: 2,
  messages: [2, 4],
  memoryDeltas: 2_000,
  textTools: { besidePeer: 1, half: 1, whole: 2 },
  turns: 1,
  toolTime: 2,
};
