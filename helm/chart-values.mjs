// The table of values in the chart's README.md, made of the comments of values.yaml.

/**
 * @param {string} yaml text of values.yaml; `# --` begins what is said of the next key, `#` goes on with it
 * @returns {{ path: string, description: string, value: string }[]}
 */
export function documentedValues(yaml) {
  const rows = [];
  /** Keys above the current line, with their indentation. */
  const above = [];
  let comment = [];
  const lines = yaml.split('\n');
  for (const [index, line] of lines.entries()) {
    const [, begun, text] = /^\s*#( --)? ?(.*)$/.exec(line) ?? [];
    if (text !== undefined) {
      if (begun !== undefined) comment = [text];
      else if (comment.length > 0) comment.push(text);
      continue;
    }
    const [, indentation, key, value] = /^(\s*)([A-Za-z_][\w-]*):\s*(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    while ((above.at(-1)?.depth ?? -1) >= indentation.length) above.pop();
    above.push({ key, depth: indentation.length });
    if (comment.length === 0) continue;
    const path = above.map((one) => one.key).join('.');
    rows.push({
      path,
      description: comment.join(' '),
      value: value || nested(lines.slice(index + 1), indentation.length),
    });
    comment = [];
  }
  return rows;
}

/** What stands below a key, on one line. */
function nested(lines, depth) {
  const end = lines.findIndex((line) => line.trim() !== '' && line.search(/\S/) <= depth);
  const below = lines.slice(0, end === -1 ? undefined : end).map((line) => line.trim());
  return below.some((line) => line.startsWith('# --')) ? '' : below.filter((line) => line !== '').join(' ');
}

/** @param {ReturnType<typeof documentedValues>} rows */
export function valuesTable(rows) {
  const cell = (text) => text.replaceAll('|', '\\|');
  const code = (text) => (text === '' ? '' : `\`${cell(text)}\``);
  return [
    '| Value | Meaning | Default |',
    '| --- | --- | --- |',
    ...rows.map(({ path, description, value }) => `| \`${path}\` | ${cell(description)} | ${code(value)} |`),
  ].join('\n');
}
