// `npm run jest -- unit|servers [option of Jest …]`: Jest alone, which neither builds nor bundles nor provisions.
import { spawnSync } from 'node:child_process';
import { ROOT, withModulesOnPath } from '../../apps/stack/bootstrap.mjs';
import { BUNDLE } from './bundle.mjs';
import { jestCommand } from './run-jest.mjs';

const [project, ...args] = process.argv.slice(2);
const cases = args.indexOf('-t');
const env = { TEST_BUNDLE: BUNDLE, ...process.env, ...(cases >= 0 && { TEST_CASES: args[cases + 1] }) };
const command = jestCommand(project, args);
const { status } = spawnSync(process.execPath, command, { cwd: ROOT, stdio: 'inherit', env: withModulesOnPath(env) });
process.exitCode = status ?? 1;
