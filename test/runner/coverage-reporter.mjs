// For Jest: which branches ran in its own processes. Writes them to the file named in BRANCH_COVERAGE_FILE.
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BranchCoverage } from './branch-coverage.mjs';

export default class CoverageReporter {
  constructor({ rootDir }) {
    this.root = rootDir;
    this.coverage = new BranchCoverage(rootDir);
  }

  onTestResult(_test, result) {
    for (const { result: script, codeTransformResult: transformed } of result.v8Coverage ?? []) {
      if (transformed === undefined || transformed.sourceMapPath === null) continue;
      const read = () => ({ code: transformed.code, map: readFileSync(transformed.sourceMapPath, 'utf8') });
      this.coverage.add(relative(this.root, script.url), `jest:${script.url}`, read, script.functions);
    }
    // Jest's own report of coverage would hold all of it in memory.
    delete result.v8Coverage;
  }

  onRunComplete() {
    writeFileSync(process.env.BRANCH_COVERAGE_FILE, JSON.stringify(this.coverage.files()));
  }
}
