import { createHash } from 'node:crypto';
import { AccountTaken, nameFrom } from '../accounts.js';
import type { Memory } from '../state/memory.js';
import { mailboxKeyOf } from './calendar/ids.js';
import type { MicrosoftUser } from './contract.js';
import { PERSONAL_TENANT } from './identity/tenants.js';

/** Fields of a new user; missing ones are generated. One of the two addresses is required. */
export type NewMicrosoftUser = Partial<MicrosoftUser>;

const PERSONAL_DOMAIN = /^(?:outlook|hotmail|live|msn)\./;

/** Users of all directories. */
export class MicrosoftUsers {
  readonly #users: Map<string, MicrosoftUser>;

  constructor(memory: Memory) {
    this.#users = memory.collection('users');
  }

  /** @throws AccountTaken */
  add(user: NewMicrosoftUser): MicrosoftUser {
    const made = madeFrom(user);
    for (const address of addressesOf(made)) {
      if (this.find(address) !== undefined) throw new AccountTaken(`${address} has an account already`);
    }
    const key = mailboxKeyOf(made);
    if (this.#users.has(key)) throw new AccountTaken(`${made.oid} is somebody else's`);
    this.#users.set(key, made);
    return made;
  }

  /** @param address email or user principal name */
  find(address: string): MicrosoftUser | undefined {
    const wanted = address.toLowerCase();
    return this.all().find((user) => addressesOf(user).includes(wanted));
  }

  all(): MicrosoftUser[] {
    return [...this.#users.values()];
  }

  remove(address: string): MicrosoftUser | undefined {
    const user = this.find(address);
    if (user !== undefined) this.#users.delete(mailboxKeyOf(user));
    return user;
  }
}

/** Address of a user in the control API and on pages. */
export function addressOf({ email, userPrincipalName }: MicrosoftUser): string {
  return email ?? userPrincipalName;
}

export function mailOf({ mail, email }: MicrosoftUser): string | null {
  return mail === undefined ? email : mail;
}

function addressesOf({ email, userPrincipalName }: MicrosoftUser): string[] {
  return [email, userPrincipalName].flatMap((address) => (address === null ? [] : [address.toLowerCase()]));
}

function madeFrom(user: NewMicrosoftUser): MicrosoftUser {
  const userPrincipalName = user.userPrincipalName ?? user.email ?? '';
  const domain = userPrincipalName.slice(userPrincipalName.lastIndexOf('@') + 1).toLowerCase();
  const isPersonal = user.tid === undefined ? PERSONAL_DOMAIN.test(domain) : user.tid === PERSONAL_TENANT;
  const kind = user.kind ?? (isPersonal ? 'personal' : 'work');
  return {
    oid: user.oid ?? uuidFrom(`user ${userPrincipalName.toLowerCase()}`),
    tid: user.tid ?? (kind === 'personal' ? PERSONAL_TENANT : uuidFrom(`directory ${domain}`)),
    email: user.email === undefined ? userPrincipalName : user.email,
    ...(user.mail !== undefined && { mail: user.mail }),
    ...(user.xmsEdov !== undefined && { xmsEdov: user.xmsEdov }),
    userPrincipalName,
    displayName: user.displayName ?? nameFrom(userPrincipalName),
    mailboxTimeZone: user.mailboxTimeZone ?? 'UTC',
    kind,
    hasMailbox: user.hasMailbox ?? true,
  };
}

/** Derives a UUID from a text, so that a domain is one directory. Version 8 (RFC 9562 §5.8). */
function uuidFrom(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
