/** The mapped list; the list itself when nothing in it changed. */
export function mapIfChanged<Value>(values: Value[], map: (value: Value, index: number) => Value): Value[] {
  const mapped = values.map(map);
  return mapped.some((value, index) => value !== values[index]) ? mapped : values;
}
