import { useState } from 'react';
import { PRICE_SOURCE } from '../../shared/list-prices.js';
import type { PriceTable } from '../../shared/playground-state.js';
import { Icon } from '../ui/icon.js';
import { Problem } from '../ui/problem.js';
import { describeFailure } from '../../shared/failure.js';

export interface PriceTableFormProps {
  readonly prices: PriceTable;
  /** Model of a new row. */
  readonly modelId: string;
  /** Rejects with the reason if the prices cannot be stored. */
  readonly onSave: (prices: PriceTable) => Promise<void>;
}

interface Row {
  readonly model: string;
  readonly input: string;
  readonly cachedInput: string;
  readonly output: string;
}

const columns = [
  ['model', 'Model'],
  ['input', 'Input'],
  ['cachedInput', 'Cached input'],
  ['output', 'Output'],
] as const;

/** The prices of models. A model without a row has no price, which is displayed as such. */
export function PriceTableForm({ prices, modelId, onSave }: PriceTableFormProps) {
  const [rows, setRows] = useState<readonly Row[]>(() => {
    const known = Object.entries(prices).map(([model, price]) => ({
      model,
      input: String(price.input),
      cachedInput: String(price.cachedInput),
      output: String(price.output),
    }));
    return known.some(({ model }) => model === modelId) ? known : [...known, toEmptyRow(modelId)];
  });
  const [problem, setProblem] = useState<string>();
  const [isSaved, setSaved] = useState(false);
  const changeRow = (index: number, change: Partial<Row>): void =>
    setRows(known => known.map((row, place) => (place === index ? { ...row, ...change } : row)));
  const save = async (): Promise<void> => {
    try {
      await onSave(toPriceTable(rows));
      setProblem(undefined);
      setSaved(true);
    } catch (error) {
      setProblem(describeFailure(error));
    }
  };
  return (
    <>
      <p className="hint">
        US dollars per one million tokens. The first prices are from{' '}
        <a href={PRICE_SOURCE.url} target="_blank" rel="noreferrer noopener">
          {new URL(PRICE_SOURCE.url).host}
        </a>
        , {PRICE_SOURCE.date}, and may have changed. Enter those of your provider.
      </p>
      <form
        className="price-table"
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        <table>
          <thead>
            <tr>
              {columns.map(([name, title]) => (
                <th key={name} scope="col">
                  {title}
                </th>
              ))}
              <th scope="col">
                <span className="hidden">Delete</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                {columns.map(([name, title]) => (
                  <td key={name}>
                    <input
                      className="input"
                      aria-label={name === 'model' ? `Model ${index + 1}` : `${title} of ${row.model}`}
                      inputMode={name === 'model' ? 'text' : 'decimal'}
                      autoComplete="off"
                      spellCheck={false}
                      value={row[name]}
                      onChange={event => changeRow(index, { [name]: event.target.value })}
                    />
                  </td>
                ))}
                <td>
                  <button
                    type="button"
                    className="icon-button"
                    aria-label={`Delete the price of ${row.model}`}
                    onClick={() => setRows(known => known.filter((_, place) => place !== index))}
                  >
                    <Icon name="trash" />
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <Problem>{problem}</Problem>
        {isSaved && (
          <p className="hint" role="status">
            The prices are saved.
          </p>
        )}
        <footer className="button-row">
          <button type="submit" className="button primary">
            Save the prices
          </button>
          <button type="button" className="button" onClick={() => setRows([...rows, toEmptyRow('')])}>
            <Icon name="plus" /> Add a model
          </button>
        </footer>
      </form>
    </>
  );
}

const toEmptyRow = (model: string): Row => ({ model, input: '', cachedInput: '', output: '' });

/**
 * Reads the rows. A row without any price is omitted.
 *
 * @throws Error for a missing or negative price, because an unknown price must not become 0.
 */
function toPriceTable(rows: readonly Row[]): PriceTable {
  const entries = rows.flatMap(({ model, ...prices }) => {
    if (Object.values(prices).every(price => price.trim() === '')) return [];
    const name = model.trim();
    if (name === '') throw new Error('Expected a model id in each row with prices.');
    const read = (price: string, title: string): number => {
      const value = price.trim() === '' ? Number.NaN : Number(price);
      if (Number.isFinite(value) && value >= 0) return value;
      throw new Error(`Expected a price from 0 for ${title} of ${name}, got “${price}”.`);
    };
    const price = {
      input: read(prices.input, 'input'),
      cachedInput: read(prices.cachedInput, 'cached input'),
      output: read(prices.output, 'output'),
    };
    return [[name, price] as const];
  });
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Expected one row per model, got two of ${twice}.`);
  return Object.fromEntries(entries);
}
