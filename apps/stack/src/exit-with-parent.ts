/**
 * Loaded before a child's own code (`node --import`): a supervisor that was killed cannot stop its children, and
 * orphans would keep the port.
 */
process.on('disconnect', () => process.exit(1));
// The channel exists for this only; it must not keep a child alive that wants to end.
process.channel?.unref();
