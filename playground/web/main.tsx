import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './components/app.js';
import { applyTheme, readTheme } from './lib/theme.js';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/layout.css';
import './styles/chat.css';
import './styles/inspector.css';
import './styles/panels.css';

applyTheme(readTheme());

const root = document.getElementById('root');
if (root === null) throw new Error('Expected an element with the id "root" in index.html, got none.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
