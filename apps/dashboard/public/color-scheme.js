/* global document, localStorage, matchMedia */
// Runs before the first paint, and is a file because the content security policy allows no script in the page.
// The name of the entry is the one that the colour scheme manager of the components writes.
(() => {
  const chosen = localStorage.getItem('mantine-color-scheme-value');
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
