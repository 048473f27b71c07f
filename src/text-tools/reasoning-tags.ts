/** A pair of tags around reasoning. */
export interface ReasoningTags {
  readonly open: string;
  readonly close: string;
}

/** Of most models that think. */
export const thinkTags: ReasoningTags = { open: '<think>', close: '</think>' };

/** Of Magistral and later models of Mistral. */
export const mistralThinkTags: ReasoningTags = { open: '[THINK]', close: '[/THINK]' };

/** Of Command R. */
export const cohereThinkTags: ReasoningTags = { open: '<|START_THINKING|>', close: '<|END_THINKING|>' };
