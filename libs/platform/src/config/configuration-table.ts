import type { Setting } from './setting.js';

export function configurationTable(settings: readonly Setting<unknown>[]): string {
  const rows = settings.map((setting) => [
    `\`${setting.env}\``,
    setting.description,
    setting.format,
    defaultOf(setting),
  ]);
  return table([['Variable', 'Meaning', 'Value', 'Default'], ...rows]);
}

function defaultOf(setting: Setting<unknown>): string {
  if (setting.required === 'always') return 'required';
  const fallback = setting.default === undefined || setting.default === '' ? 'none' : `\`${setting.default}\``;
  return setting.required === 'production' ? `${fallback}; required in production` : fallback;
}

/** Pads columns as prettier formats Markdown tables. */
function table(rows: string[][]): string {
  const header = rows[0] ?? [];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: string[]): string => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const separator = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(header), separator, ...rows.slice(1).map(line)].join('\n') + '\n';
}
