import { lookup } from 'node:dns/promises';

/** Name to addresses, injectable. Answers all addresses a name has now; rejects when it has none. */
export interface Resolver {
  lookup(hostname: string): Promise<readonly string[]>;
}

/**
 * The resolver of the operating system: what the hosts file and the search list say counts, because that is what any
 * other program on the machine would dial.
 */
export const systemResolver: Resolver = {
  async lookup(hostname) {
    const answers = await lookup(hostname, { all: true, order: 'verbatim' });
    return answers.map(({ address }) => address);
  },
};
