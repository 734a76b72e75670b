// What has to follow `npm ci --ignore-scripts`: the scripts of the packages that package.json allows them by name.
import { fail, runAllowedScripts } from './bootstrap.mjs';

try {
  runAllowedScripts();
} catch (error) {
  fail(error);
}
