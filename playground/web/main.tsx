import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { watchAddress } from './page/session.js';
import { restoreWidths } from './ui/resizer.js';
import { applyTheme, readTheme } from './ui/theme.js';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/fields.css';
import './styles/layout.css';
import './styles/tabs.css';
import './styles/chat.css';
import './styles/markdown.css';
import './styles/parts.css';
import './styles/composer.css';
import './styles/empty-state.css';
import './styles/comparison.css';
import './styles/inspector.css';
import './styles/timeline.css';
import './styles/wire.css';
import './styles/traces.css';
import './styles/panels.css';
import './styles/mcp.css';
import './styles/conversation.css';
import './styles/touch.css';

// Before the router, which also reads the address.
watchAddress();
applyTheme(readTheme());
restoreWidths();

const root = document.getElementById('root');
if (root === null) throw new Error('Expected an element with the id "root" in index.html, got none.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
