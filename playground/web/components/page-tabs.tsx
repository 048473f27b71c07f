export type PageName = 'chat' | 'inspect' | 'setup';

const pages: readonly (readonly [PageName, string])[] = [
  ['setup', 'Setup'],
  ['chat', 'Chat'],
  ['inspect', 'Inspect'],
];

/** Where there is room for one part of the page alone, this leads from one to the other. */
export function PageTabs({ page, onChange }: { page: PageName; onChange: (page: PageName) => void }) {
  return (
    <nav className="page-tabs" aria-label="Parts of the page">
      {pages.map(([name, title]) => (
        <button
          key={name}
          type="button"
          aria-current={page === name ? 'page' : undefined}
          onClick={() => onChange(name)}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}
