// What all suites need of other people's programs, for who has time for it before they run (.ci/run):
// `node test/runner/provision.mjs programs`, and `packages` once node_modules is there.
import { ROOT } from '../../apps/stack/bootstrap.mjs';
import { installPackages, installPrograms } from './programs.mjs';
import { allSuites } from './suites.mjs';

const install = { programs: installPrograms, packages: installPackages }[process.argv[2]];
install(ROOT, console.log, allSuites());
