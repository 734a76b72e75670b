/** MiB of each of the three parts of the young generation. */
export const API_SEMI_SPACE_MIB = 64;

/**
 * Arguments of Node for a process of the API, however it is started: V8 lays out its heap before the first line of ours
 * runs, and does not listen to them afterwards.
 *
 * What requests leave behind is collected from a young generation of up to 64 MiB, three times that in all. Whatever is
 * in use at that moment is copied while everybody waits: with more room that comes half as often, and most requests have
 * ended by then. Costs some 50 MB of memory under load.
 */
export const API_NODE_ARGUMENTS: readonly string[] = [`--max-semi-space-size=${API_SEMI_SPACE_MIB}`];
