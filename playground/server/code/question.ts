/** The question of the code, without the contents of its files. */
export interface CodeQuestion {
  readonly text: string;
  readonly files: readonly { readonly filename: string; readonly mediaType: string }[];
}

/** Valid base64 that stands for the content of a file. */
export const toFileMark = (index: number): string => `FILE${String(index).padStart(4, '0')}FILE`;
