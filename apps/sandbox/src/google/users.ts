import { randomInt } from 'node:crypto';
import { AccountTaken, nameFrom } from '../accounts.js';
import type { Memory } from '../state/memory.js';
import type { GoogleUser } from './contract.js';

/** Fields of a new user; missing ones are generated. */
export type NewUser = Pick<GoogleUser, 'email'> & Partial<Omit<GoogleUser, 'email'>>;

export class UserDirectory {
  readonly #byEmail: Map<string, GoogleUser>;

  constructor(memory: Memory) {
    this.#byEmail = memory.collection('users');
  }

  /** @throws AccountTaken */
  add({ email, name, sub, timeZone = 'UTC', workspace = false }: NewUser): GoogleUser {
    if (this.find(email) !== undefined) throw new AccountTaken(`${email} has an account already`);
    if (sub !== undefined && this.findBySub(sub) !== undefined) throw new AccountTaken(`${sub} is somebody else's`);
    const user = { sub: sub ?? newSub(), email, name: name ?? nameFrom(email), timeZone, workspace };
    this.#byEmail.set(email.toLowerCase(), user);
    return user;
  }

  find(email: string): GoogleUser | undefined {
    return this.#byEmail.get(email.toLowerCase());
  }

  findBySub(sub: string): GoogleUser | undefined {
    return this.all().find((user) => user.sub === sub);
  }

  all(): GoogleUser[] {
    return [...this.#byEmail.values()];
  }

  remove(email: string): GoogleUser | undefined {
    const user = this.find(email);
    this.#byEmail.delete(email.toLowerCase());
    return user;
  }
}

/** 21 digits, like Google's. */
function newSub(): string {
  return `1${Array.from({ length: 20 }, () => randomInt(10)).join('')}`;
}
