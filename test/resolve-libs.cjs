const { join, sep } = require('node:path');

const NODE_MODULES = `${sep}node_modules${sep}`;

/** `#domain`, `#providers/google`: our own sources. Packages have names of this form, too, that are theirs. */
module.exports = (request, options) => {
  const isOurs = request.startsWith('#') && !`${options.basedir}${sep}`.includes(NODE_MODULES);
  return options.defaultResolver(isOurs ? join(options.rootDir, 'libs', sourceOf(request.slice(1))) : request, options);
};

function sourceOf(name) {
  if (name === 'providers') return join('providers', 'registry.ts');
  return name.startsWith('providers/') ? join(name, 'index.ts') : join(name, 'src', 'index.ts');
}
