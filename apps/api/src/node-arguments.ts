/** MiB in each of the three parts of the young generation. */
export const API_SEMI_SPACE_MIB = 64;

/**
 * Node arguments of every API process: V8 sizes its heap before any code runs.
 * A larger young generation halves the number of collections, which copy live objects and stop all requests; most
 * requests have ended by the next one. Costs about 50 MB under load.
 */
export const API_NODE_ARGUMENTS: readonly string[] = [`--max-semi-space-size=${API_SEMI_SPACE_MIB}`];
