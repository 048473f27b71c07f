// Runs in a frame without an origin: draws the diagram that the page sends, and returns its SVG.
/* global addEventListener, mermaid, parent */
mermaid.initialize({
  startOnLoad: false,
  securityLevel: 'strict',
  theme: 'neutral',
  htmlLabels: false,
  // Sizes in the SVG itself, because it becomes an image.
  flowchart: { htmlLabels: false, useMaxWidth: false },
  sequence: { useMaxWidth: false },
  maxTextSize: 10_000,
  maxEdges: 300,
  fontFamily: 'sans-serif',
  secure: [
    'secure',
    'securityLevel',
    'startOnLoad',
    'maxTextSize',
    'maxEdges',
    'htmlLabels',
    'flowchart',
    'fontFamily',
    'themeCSS',
    'suppressErrorRendering',
  ],
  suppressErrorRendering: true,
});
addEventListener('message', async ({ source, data }) => {
  if (source !== parent || typeof data !== 'string') return;
  try {
    const { svg } = await mermaid.render('diagram', data);
    parent.postMessage({ svg }, '*');
  } catch (error) {
    parent.postMessage({ failure: error instanceof Error ? error.message : String(error) }, '*');
  }
});
parent.postMessage({ isReady: true }, '*');
