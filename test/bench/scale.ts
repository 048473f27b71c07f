/** The amount of work in a run. */
export interface Scale {
  readonly samples: number;
  readonly warmUp: number;
  /** Text deltas of a streamed response. */
  readonly deltas: number;
  /** Samples of the time to the first token. */
  readonly firstTokens: number;
  /** Message counts of the conversations, ascending. */
  readonly messages: readonly number[];
  /** Deltas of the stream in the memory section. */
  readonly memoryDeltas: number;
  /** Numbers of turns at once. */
  readonly manyTurns: readonly number[];
  /** Sizes of arguments written as text, in kilobytes: one for the peer package and two to compare with each other. */
  readonly textTools: { readonly peer: number; readonly half: number; readonly whole: number };
  /** Size of the text in each format, in kilobytes. */
  readonly textFormats: number;
  /** Samples of a turn with tools. */
  readonly turns: number;
  /** Rounds of a turn that is sent over different transports. */
  readonly rounds: number;
  /** Samples of such a turn. */
  readonly transportSamples: number;
  /** Numbers in the arguments of a call. */
  readonly numbers: number;
  /** Duration of a tool in milliseconds. */
  readonly toolTime: number;
  /** Samples of a durable turn. */
  readonly durableTurns: number;
  /** Samples of the start of a program. */
  readonly starts: number;
  /** The number of entries besides the main one whose start and size are measured. */
  readonly entries: number;
  /** The number of formats whose texts are measured on each path. */
  readonly formats: number;
}

export const FULL: Scale = {
  samples: 9,
  warmUp: 3,
  deltas: 20_000,
  firstTokens: 300,
  messages: [10, 100, 1_000, 5_000],
  memoryDeltas: 1_000_000,
  manyTurns: [300, 1_000],
  textTools: { peer: 80, half: 512, whole: 1_024 },
  textFormats: 1_024,
  turns: 7,
  numbers: 1_000_000,
  rounds: 20,
  transportSamples: 5,
  toolTime: 50,
  durableTurns: 30,
  starts: 27,
  entries: Infinity,
  formats: Infinity,
};

/** The smallest scale that runs everything. Its figures are meaningless. */
export const SMOKE: Scale = {
  samples: 1,
  warmUp: 0,
  deltas: 50,
  firstTokens: 2,
  messages: [2, 4],
  memoryDeltas: 2_000,
  manyTurns: [2],
  textTools: { peer: 1, half: 1, whole: 2 },
  textFormats: 1,
  turns: 1,
  numbers: 10,
  rounds: 2,
  transportSamples: 1,
  toolTime: 2,
  durableTurns: 1,
  starts: 1,
  entries: 1,
  formats: 5,
};
