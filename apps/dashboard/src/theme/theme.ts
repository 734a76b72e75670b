import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const lagoon: MantineColorsTuple = [
  '#e9f8f6',
  '#d3eeea',
  '#a5ddd5',
  '#73cbbf',
  '#4cbcad',
  '#33b2a2',
  '#1f9c8e',
  '#0f8479',
  '#0b6e69',
  '#085955',
];

/** The dark greys of the library, tinted with the accent colour. */
const dark: MantineColorsTuple = [
  '#dbe3e1',
  '#b9c4c2',
  '#9aa6a4',
  '#7b8886',
  '#3a4543',
  '#2d3735',
  '#242d2b',
  '#1a2120',
  '#151b1a',
  '#121716',
];

export const theme = createTheme({
  colors: { lagoon, dark },
  primaryColor: 'lagoon',
  primaryShade: 8,
  defaultRadius: 'md',
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'Cascadia Code', 'SF Mono', Menlo, Consolas, monospace",
  headings: { fontWeight: '600' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // Links must differ from text in more than colour (WCAG 2.2, 1.4.1).
    Anchor: { defaultProps: { underline: 'always' } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, centered: true } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 200 } },
    Table: { defaultProps: { verticalSpacing: 'sm' } },
  },
});

/** The greys and reds of the library lack contrast (WCAG 2.2, 1.4.3). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-text': '#16201f',
    '--mantine-color-dimmed': '#55605f',
    '--mantine-color-placeholder': '#66706f',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': 'var(--mantine-color-lagoon-8)',
    '--mantine-color-red-filled': '#b3261e',
    '--mantine-color-red-filled-hover': '#93201a',
    '--mantine-color-gray-light-color': '#3b4443',
  },
  dark: {
    '--mantine-color-placeholder': '#8d9997',
    '--mantine-color-error': '#ff9a92',
    '--mantine-color-anchor': 'var(--mantine-color-lagoon-3)',
    '--mantine-color-red-filled': '#b3261e',
    '--mantine-color-red-filled-hover': '#c93830',
  },
});
