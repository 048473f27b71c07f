import { lazy, Suspense, useEffect, useState } from 'react';
import { ChatsPage } from './chats-page.js';
import { createDraft } from './page/drafts.js';
import { Missing } from './page/missing.js';
import { navigate, paths, type Route, useRoute } from './page/routes.js';
import { type PageHook, usePage } from './page/use-page.js';
import { Rail } from './rail.js';
import { SignIn } from './sign-in.js';

// A chat needs none of these.
const ServersPage = lazy(async () => ({ default: (await import('./mcp/servers-page.js')).ServersPage }));
const SettingsPage = lazy(async () => ({
  default: (await import('./settings/settings-page.js')).SettingsPage,
}));
const TracePage = lazy(async () => ({ default: (await import('./traces/trace-page.js')).TracePage }));
const TracesPage = lazy(async () => ({ default: (await import('./traces/traces-page.js')).TracesPage }));
const TraceComparisonPage = lazy(async () => ({
  default: (await import('./compare/trace-comparison-page.js')).TraceComparisonPage,
}));

/** The rail, and the part of the page that the address names. */
export function App() {
  const route = useRoute();
  const [lastId, setLastId] = useState(createDraft);
  const conversationId = route.page === 'chat' ? route.conversationId : lastId;
  const page = usePage(conversationId);
  useEffect(() => {
    if (route.page === 'start') navigate(paths.chat(lastId), { replace: true });
    else setLastId(conversationId);
  }, [route.page, conversationId, lastId]);
  const isSignedOut = page.connection === 'refused';
  if (isSignedOut && page.state === undefined) {
    return (
      <main>
        <SignIn />
      </main>
    );
  }
  return (
    <>
      <div className="app">
        <header className="page-head hidden">
          <h1>Playground of kelivo-responses</h1>
        </header>
        <Rail route={route} conversationId={conversationId} page={page} />
        <Suspense fallback={<main className="content" aria-busy="true" />}>
          <Content route={route} page={page} conversationId={conversationId} />
        </Suspense>
      </div>
      {/* Above the rest, which keeps what was entered. */}
      {isSignedOut && <SignIn />}
    </>
  );
}

function Content({
  route,
  page,
  conversationId,
}: {
  route: Route;
  page: PageHook;
  /** The chat that was open last. */
  conversationId: string;
}) {
  switch (route.page) {
    case 'start':
      return null;
    case 'chat':
      return <ChatsPage page={page} conversationId={route.conversationId} selected={route.messageId} />;
    case 'servers':
      return <ServersPage page={page} route={route} />;
    case 'traces':
      return <TracesPage page={page} />;
    case 'trace':
      return <TracePage key={route.messageId} messageId={route.messageId} page={page} />;
    case 'trace-comparison':
      return <TraceComparisonPage page={page} />;
    case 'settings':
      return <SettingsPage page={page} conversationId={conversationId} />;
    case 'unknown':
      return (
        <main className="content">
          <Missing title="There is no such page" path="/" link="Start a new chat">
            The playground has chats, servers, traces and settings, which the bar links to.
          </Missing>
        </main>
      );
  }
}
