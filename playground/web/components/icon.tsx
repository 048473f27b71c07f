const paths = {
  plus: 'M8 3v10M3 8h10',
  send: 'M3 8h9M8.5 4.5 12 8l-3.5 3.5',
  stop: 'M4.5 4.5h7v7h-7z',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.5 10.5 14 14',
  trash: 'M3 4.5h10M6.5 4V2.5h3V4M4.5 4.5l.5 9h6l.5-9',
  download: 'M8 2.5v7M5 7l3 3 3-3M3 13h10',
  bug: 'M5.5 6a2.5 2.5 0 0 1 5 0v4a2.5 2.5 0 0 1-5 0zM2.5 5.5l3 1.5M13.5 5.5l-3 1.5M2.5 9h3M10.5 9h3M3 12.5 5.7 11M13 12.5 10.3 11',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  tool: 'M10 2.5a3.5 3.5 0 0 0-3.2 5L2.5 11.8l1.7 1.7L8.5 9.2A3.5 3.5 0 0 0 13.4 5l-2 2-2.2-.3L9 4.5l2-2a3.5 3.5 0 0 0-1 0Z',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13 9.500A5.500 5.500 0 0 1 6.500 3a5.500 5.500 0 1 0 6.500 6.500Z',
  auto: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 2v12',
  again: 'M13 8a5 5 0 1 1-1.500-3.500M13 2v3h-3',
  close: 'M4 4l8 8M12 4l-8 8',
  compare: 'M3 3h4v10H3zM9 3h4v10H9z',
  brain:
    'M8 3.500a2.500 2.500 0 0 0-4.500 1.500A2.500 2.500 0 0 0 3 9.500a2.500 2.500 0 0 0 5 1.500zM8 3.500a2.500 2.500 0 0 1 4.500 1.500 2.500 2.500 0 0 1 .5 4.500 2.500 2.500 0 0 1-5 1.500z',
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon next to a label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
