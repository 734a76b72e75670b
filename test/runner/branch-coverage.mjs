// Measures branch coverage of the sources, in Jest and in processes that suites start (NODE_V8_COVERAGE). Branches are
// the optional arms of if, ?:, &&,
// , ??, case, catch, loops and defaults.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedPositionFor, GREATEST_LOWER_BOUND, LEAST_UPPER_BOUND, TraceMap } from '@jridgewell/trace-mapping';
import ts from 'typescript';
import { compiled } from './typescript.mjs';

const { SyntaxKind } = ts;
const SHORT_CIRCUITS = new Set([
  ...[SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken, SyntaxKind.QuestionQuestionToken],
  ...[SyntaxKind.AmpersandAmpersandEqualsToken, SyntaxKind.BarBarEqualsToken, SyntaxKind.QuestionQuestionEqualsToken],
]);
const COUNTED = /^(?:libs|apps\/(?:api|worker))\/.*\.ts$/;
const NOT_COUNTED = /\.(?:spec|test|d)\.ts$|\/testing\//;

/** @param {ts.Node} node @returns {(ts.Node | undefined)[]} */
function armsOf(node) {
  if (ts.isIfStatement(node)) return [node.thenStatement, node.elseStatement];
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse];
  if (ts.isBinaryExpression(node)) return SHORT_CIRCUITS.has(node.operatorToken.kind) ? [node.right] : [];
  if (ts.isCaseOrDefaultClause(node)) return [node.statements[0]];
  if (ts.isCatchClause(node)) return [node.block];
  if (ts.isIterationStatement(node, false)) return [node.statement];
  if (ts.isParameter(node) || ts.isBindingElement(node)) return [node.initializer];
  return [];
}

/** @param {string} text of a source file @returns {{ line: number, column: number }[]} as in source maps */
export function branchesOf(text) {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    for (const arm of armsOf(node)) {
      if (arm === undefined || (ts.isBlock(arm) && arm.statements.length === 0)) continue;
      const start = (ts.isBlock(arm) ? arm.statements[0] : arm).getStart(source);
      const { line, character } = source.getLineAndCharacterOfPosition(start);
      found.push({ line: line + 1, column: character });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

export class BranchCoverage {
  /** Keys are paths below the root. */
  #files = new Map();
  /** Branch offsets in compiled code, by its file. */
  #offsets = new Map();

  /** @param {string} root of the repository */
  constructor(root) {
    this.root = root;
    for (const folder of ['libs', 'apps/api', 'apps/worker']) {
      for (const name of readdirSync(join(root, folder), { recursive: true })) {
        const path = join(folder, String(name));
        if (!COUNTED.test(path) || NOT_COUNTED.test(path)) continue;
        const branches = branchesOf(readFileSync(join(root, path), 'utf8'));
        this.#files.set(path, { branches, ran: new Set() });
      }
    }
  }

  /**
   * @param {string} path of the source, below the root
   * @param {string} compiled name of the compiled file
   * @param {() => { code: string, map: string }} read
   * @param {{ ranges: { startOffset: number, endOffset: number, count: number }[] }[]} functions
   */
  add(path, compiled, read, functions) {
    const file = this.#files.get(path);
    if (file === undefined || file.ran.size === file.branches.length) return;
    let offsets = this.#offsets.get(compiled);
    if (offsets === undefined) this.#offsets.set(compiled, (offsets = offsetsOf(file.branches, read())));
    const ranges = functions.flatMap(({ ranges }) => ranges);
    offsets.forEach((offset, index) => {
      if (offset !== undefined && !file.ran.has(index) && countAt(ranges, offset) > 0) file.ran.add(index);
    });
  }

  /** @param {string} directory of NODE_V8_COVERAGE @param {number} settledMs since the last write to a file */
  addProcesses(directory, settledMs = 2_000) {
    for (const name of existsSync(directory) ? readdirSync(directory) : []) {
      const file = join(directory, name);
      // Leaves files that a process may still write, and deletes the others: each has tens of megabytes.
      if (statSync(file).mtimeMs > Date.now() - settledMs) continue;
      const text = readFileSync(file, 'utf8');
      rmSync(file);
      let scripts;
      try {
        scripts = JSON.parse(text).result;
      } catch {
        continue; // killed while it wrote the file
      }
      for (const { url, functions } of scripts) {
        if (!url.startsWith('file:')) continue;
        const file = fileURLToPath(new URL(url));
        const isSource = file.endsWith('.ts');
        const path = isSource
          ? relative(this.root, file)
          : relative(join(this.root, 'dist'), file).replace(/\.js$/, '.ts');
        const read = () =>
          isSource ? sourceCode(file) : { code: readFileSync(file, 'utf8'), map: readFileSync(`${file}.map`, 'utf8') };
        this.add(path, file, read, functions);
      }
    }
  }

  /** @returns {{ path: string, lines: number[], ran: number[] }[]} lines of the branches, indexes of those that ran */
  files() {
    return [...this.#files].map(([path, { branches, ran }]) => ({
      path,
      lines: branches.map(({ line }) => line),
      ran: [...ran],
    }));
  }
}

function sourceCode(file) {
  const code = compiled(file);
  const [, map = ''] = /base64,([\w+/=]+)\n\/\/ \w+$/.exec(code) ?? [];
  return { code, map: Buffer.from(map, 'base64').toString() };
}

/** Returns the start of each branch in compiled code; undefined when the source map has none. */
function offsetsOf(branches, { code, map }) {
  const trace = new TraceMap(map);
  const source = trace.sources[0];
  const starts = [0];
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) starts.push(at + 1);
  return branches.map(({ line, column }) => {
    for (const bias of [LEAST_UPPER_BOUND, GREATEST_LOWER_BOUND]) {
      const found = generatedPositionFor(trace, { source, line, column, bias });
      if (found.line !== null) return starts[found.line - 1] + found.column;
    }
    return undefined;
  });
}

/** Returns the count of the innermost range. Among equal ranges, the last one is the innermost. */
function countAt(ranges, offset) {
  let count = 0;
  let size = Infinity;
  for (const { startOffset, endOffset, count: times } of ranges) {
    if (startOffset > offset || offset >= endOffset || endOffset - startOffset > size) continue;
    size = endOffset - startOffset;
    count = times;
  }
  return count;
}
