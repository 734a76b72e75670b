/**
 * Preloaded into a child (`node --import`). A killed supervisor cannot stop its children, and orphans would keep the
 * port.
 */
process.on('disconnect', () => process.exit(1));
// The channel must not keep a finished child alive.
process.channel?.unref();
