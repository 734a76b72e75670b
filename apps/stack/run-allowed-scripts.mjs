// Runs after `npm ci --ignore-scripts`: executes the install scripts that package.json allows by name.
import { fail, runAllowedScripts } from './bootstrap.mjs';

try {
  runAllowedScripts();
} catch (error) {
  fail(error);
}
