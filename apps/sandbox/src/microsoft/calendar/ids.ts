import { createHash } from 'node:crypto';
import type { Memory } from '../../state/memory.js';
import type { MicrosoftUser } from '../contract.js';
import { DAY_MS } from './clock-time.js';
import { malformedId } from './errors.js';

/** The two forms of an item's id (https://learn.microsoft.com/graph/outlook-immutable-id). */
export type IdForm = 'ordinary' | 'immutable';

/** Parsed id of an event; `date` is the original day of an instance, `YYYY-MM-DD`. */
export interface ItemName {
  key: string;
  date: string | null;
}

const ITEM_PREFIX: Readonly<Record<IdForm, string>> = { ordinary: 'AAMkAD_h-', immutable: 'AAkALg_A-' };
const ITEM = /^(AAMkAD_h-|AAkALg_A-)([\w-]{24})([\w-]{8})=$/;
const FOLDER = /^AAMkCa_l-([\w-]{24})AAAA=$/;
/** Exceeds the day number of the first year, so that every day differs from "no day". */
const DAY_OFFSET = 1_000_000;

/** Keys of objects. Deterministic: each is a digest of a counter. */
export class Keys {
  constructor(private readonly memory: Memory) {}

  /** 24 characters of base64url. */
  next(kind: string): string {
    return this.digest(kind).toString('base64url').slice(0, 24);
  }

  uuid(kind: string): string {
    const hex = this.digest(kind).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  private digest(kind: string): Buffer {
    return createHash('sha256')
      .update(`${kind} ${this.memory.next('keys')}`)
      .digest();
  }
}

export function itemId({ key, date }: ItemName, form: IdForm): string {
  return `${ITEM_PREFIX[form]}${key}${dayCode(date)}=`;
}

/** Parses either form. @throws GraphErrorResponse 400 for an invalid id */
export function parseItemId(id: string): ItemName {
  const [, , key, code] = ITEM.exec(id) ?? [];
  if (key === undefined || code === undefined) throw malformedId();
  return { key, date: dayOf(code) };
}

/** Calendars and groups have one form. */
export function folderId(key: string): string {
  return `AAMkCa_l-${key}AAAA=`;
}

/** @throws GraphErrorResponse 400 for an invalid id */
export function parseFolderId(id: string): string {
  const [, key] = FOLDER.exec(id) ?? [];
  if (key === undefined) throw malformedId();
  return key;
}

export function formOf(prefer: Readonly<Record<string, string>>): IdForm {
  return prefer['idtype']?.toLowerCase() === 'immutableid' ? 'immutable' : 'ordinary';
}

/** Includes the directory, because object ids are unique only within one. */
export function mailboxKeyOf({ tid, oid }: Pick<MicrosoftUser, 'tid' | 'oid'>): string {
  return `${tid}.${oid}`;
}

/** Derives the `iCalUId` from a key. */
export function uidOf(key: string): string {
  return `040000008200E00074C5B7101A82E00800000000${Buffer.from(key).toString('hex').toUpperCase()}`;
}

export function changeKeyOf(revision: number): string {
  return Buffer.from(`change ${String(revision).padStart(11, '0')}`).toString('base64');
}

export function etagOf(revision: number): string {
  return `W/"${changeKeyOf(revision)}"`;
}

function dayCode(date: string | null): string {
  const bytes = Buffer.alloc(6);
  if (date !== null) bytes.writeUIntBE(Date.parse(`${date}T00:00:00Z`) / DAY_MS + DAY_OFFSET, 0, 6);
  return bytes.toString('base64url');
}

function dayOf(code: string): string | null {
  const day = Buffer.from(code, 'base64url').readUIntBE(0, 6);
  if (day === 0) return null;
  const date = new Date((day - DAY_OFFSET) * DAY_MS);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9_999) throw malformedId();
  return date.toISOString().slice(0, 10);
}
