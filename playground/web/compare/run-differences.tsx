import { useMemo } from 'react';
import type { Trace } from '../../shared/trace.js';
import { formatNumberOf } from '../ui/format.js';
import type { JsonDifference } from './json-difference.js';
import { type ChangeGroup, compareRuns, type ItemPair } from './run-comparison.js';

export interface RunDifferencesProps {
  readonly traces: readonly [Trace, Trace];
  readonly titles: readonly [string, string];
}

/** Compares two runs by items. Folds equal parts, and groups equal changes of tools. */
export function RunDifferences({ traces: [first, second], titles }: RunDifferencesProps) {
  const { settings, equalSettings, tools, equalTools, items } = useMemo(
    () => compareRuns(first, second),
    [first, second],
  );
  return (
    <>
      <Section title="Settings" equal={equalSettings} noun="equal setting">
        {settings.length > 0 && <DifferenceTable differences={settings} titles={titles} />}
      </Section>
      <Section title="Tools" equal={equalTools} noun="equal tool">
        {tools.map((group, index) => (
          <ToolChange key={index} group={group} titles={titles} />
        ))}
      </Section>
      <Section title="Items" equal={0} noun="item">
        <ol className="item-pairs" aria-label="Items of both runs">
          {foldEqual(items).map((row, index) =>
            Array.isArray(row) ? (
              <li key={index}>
                <details>
                  <summary>{formatNumberOf(row.length, 'equal item')}</summary>
                  {row.map((pair, place) => (
                    <Pair key={place} pair={pair} titles={titles} />
                  ))}
                </details>
              </li>
            ) : (
              <li key={index} data-different="true">
                <Pair pair={row} titles={titles} />
              </li>
            ),
          )}
        </ol>
      </Section>
    </>
  );
}

interface SectionProps {
  readonly title: string;
  readonly equal: number;
  readonly noun: string;
  readonly children: React.ReactNode;
}

const Section = ({ title, equal, noun, children }: SectionProps) => (
  <section aria-label={title}>
    <h3>{title}</h3>
    {children}
    {equal > 0 && <p className="quiet">{formatNumberOf(equal, noun)}</p>}
  </section>
);

/** Joins successive equal pairs. */
function foldEqual(pairs: readonly ItemPair[]): (ItemPair | ItemPair[])[] {
  const rows: (ItemPair | ItemPair[])[] = [];
  for (const pair of pairs) {
    const last = rows.at(-1);
    if (pair.first !== pair.second) rows.push(pair);
    else if (Array.isArray(last)) last.push(pair);
    else rows.push([pair]);
  }
  return rows;
}

function Pair({
  pair: { name, first, second },
  titles,
}: {
  pair: ItemPair;
  titles: RunDifferencesProps['titles'];
}) {
  if (first === second) {
    return (
      <div className="item-pair">
        <strong>{name}</strong>
        <pre tabIndex={0}>{first}</pre>
      </div>
    );
  }
  return (
    <div className="item-pair">
      <strong>{name}</strong>
      <div className="item-sides">
        {[first, second].map((text, index) => (
          <div key={index}>
            <small>{titles[index]}</small>
            {text === undefined ? <p className="quiet">not in this run</p> : <pre tabIndex={0}>{text}</pre>}
          </div>
        ))}
      </div>
    </div>
  );
}

function ToolChange({
  group: { names, differences },
  titles,
}: {
  group: ChangeGroup;
  titles: RunDifferencesProps['titles'];
}) {
  const subject = names.length === 1 ? (names[0] ?? '') : formatNumberOf(names.length, 'tool');
  return (
    <details>
      <summary>
        {subject}: {differences.map(difference => describe(difference, titles)).join(', ')}
      </summary>
      {names.length > 1 && <p className="quiet">{names.join(', ')}</p>}
      <DifferenceTable differences={differences.filter(({ path }) => path !== '')} titles={titles} />
    </details>
  );
}

function describe({ path, first, second }: JsonDifference, titles: RunDifferencesProps['titles']): string {
  if (first === undefined) return `${path} only at ${titles[1]}`.trim();
  return second === undefined ? `${path} only at ${titles[0]}`.trim() : `${path} differs`;
}

/** Maximum number of displayed differences. */
const MAX_DIFFERENCES = 50;

function DifferenceTable({
  differences,
  titles,
}: {
  differences: readonly JsonDifference[];
  titles: RunDifferencesProps['titles'];
}) {
  if (differences.length === 0) return null;
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label="Differences">
      <table>
        <RunHeadings heading="Path" titles={titles} />
        <tbody>
          {differences.slice(0, MAX_DIFFERENCES).map(({ path, first, second }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td>
                <code>{toText(first)}</code>
              </td>
              <td>
                <code>{toText(second)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {differences.length > MAX_DIFFERENCES && (
        <p className="quiet">and {differences.length - MAX_DIFFERENCES} more</p>
      )}
    </div>
  );
}

/** The head of a table with a column for each run. */
export const RunHeadings = ({ heading, titles }: { heading: string; titles: readonly string[] }) => (
  <thead>
    <tr>
      <th scope="col">{heading}</th>
      {titles.map((title, index) => (
        <th key={index} scope="col">
          {title}
        </th>
      ))}
    </tr>
  </thead>
);

const toText = (value: unknown): string => JSON.stringify(value)?.slice(0, 200) ?? '–';
