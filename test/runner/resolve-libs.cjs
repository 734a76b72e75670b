const { readFileSync } = require('node:fs');
const { join, sep } = require('node:path');

const NODE_MODULES = `${sep}node_modules${sep}`;

/** `#domain`, `#domain/testing/mirrors`: our own sources, where tsconfig.json says. Packages have such names of their own. */
module.exports = (request, options) => {
  const isOurs = request.startsWith('#') && !`${options.basedir}${sep}`.includes(NODE_MODULES);
  return options.defaultResolver(isOurs ? sourceOf(request, options.rootDir) : request, options);
};

let paths;

function sourceOf(name, root) {
  paths ??= JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).compilerOptions.paths;
  const last = name.lastIndexOf('/');
  const [path] = paths[name] ?? paths[`${name.slice(0, last)}/*`] ?? [];
  if (path === undefined) throw new Error(`tsconfig.json has no path for ${name}`);
  return join(root, path.replace('*', name.slice(last + 1)));
}
