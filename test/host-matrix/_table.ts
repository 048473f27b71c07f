/** The result of one test in the matrix. */
export interface Cell {
  readonly row: string;
  readonly column: string;
  readonly passed: boolean;
}

/** Formats the matrix as a text table. `✓` means that all tests of a cell passed. */
export function toTable(cells: readonly Cell[], columns: readonly string[]): string {
  const rows = [...new Set(cells.map(({ row }) => row))];
  const width = Math.max(...rows.map(({ length }) => length));
  const line = (first: string, others: readonly string[]): string =>
    [first.padEnd(width), ...others.map((text, index) => text.padEnd(columns[index]?.length ?? 0))].join(
      '  ',
    );
  const toMark = (row: string, column: string): string => {
    const inside = cells.filter(cell => cell.row === row && cell.column === column);
    if (inside.length === 0) return '–';
    const failed = inside.filter(({ passed }) => !passed).length;
    return failed === 0 ? `✓ ${inside.length}` : `✗ ${failed}/${inside.length}`;
  };
  return [
    line('', columns),
    ...rows.map(row =>
      line(
        row,
        columns.map(column => toMark(row, column)),
      ),
    ),
  ].join('\n');
}
