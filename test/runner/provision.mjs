// Installs the external programs of all suites in advance (.ci/run): `node test/runner/provision.mjs programs`, then
// `packages` once node_modules exists.
import { ROOT } from '../../apps/stack/bootstrap.mjs';
import { installPackages, installPrograms } from './programs.mjs';
import { allSuites } from './suites.mjs';

const install = { programs: installPrograms, packages: installPackages }[process.argv[2]];
install(ROOT, console.log, allSuites());
