/** Preloaded with `node --import`: a killed supervisor cannot stop its children, which would keep the port. */
process.on('disconnect', () => process.exit(1));
// The channel must not keep a finished child alive.
process.channel?.unref();
