import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Fault, FaultAction } from '../faults/fault.js';
import type { FaultList } from '../faults/fault-list.js';
import { REQUEST_KINDS } from '../journal.js';
import { anything, integer, map, object, oneOf, optional, wrong, text, type Reader } from './input.js';
import { get, post, remove, type ControlRoute } from './routes.js';

const DAY_MS = 86_400_000;
const GIBIBYTE = 2 ** 30;

const BARE = ['html', 'hang', 'reset', 'reset-mid-body', 'truncate', 'garbage', 'lose-response'] as const;

const headers: Reader<Record<string, string>> = (value, at) => {
  const read = map(text)(value, at);
  for (const [name, header] of Object.entries(read)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, header);
    } catch {
      throw wrong(`${at}.${name}`, 'is no header that can be sent');
    }
  }
  return read;
};

const body: Reader<NonNullable<unknown> | null> = (value, at) => {
  if (value === undefined) throw wrong(at, 'is missing');
  return value;
};

const ACTIONS: Readonly<Record<FaultAction['type'], Reader<FaultAction>>> = {
  status: object({
    type: oneOf(['status']),
    status: integer(200, 599),
    body: anything,
    reason: optional(text),
    headers: optional(headers),
  }),
  delay: object({ type: oneOf(['delay']), ms: integer(0, DAY_MS) }),
  drip: object({ type: oneOf(['drip']), bytesPerSecond: integer(1, GIBIBYTE) }),
  huge: object({ type: oneOf(['huge']), bytes: integer(1, GIBIBYTE) }),
  replace: object({ type: oneOf(['replace']), body }),
  ...(Object.fromEntries(BARE.map((type) => [type, object({ type: oneOf([type]) })])) as Record<
    (typeof BARE)[number],
    Reader<FaultAction>
  >),
};

const action: Reader<FaultAction> = (value, at) => {
  const types = Object.keys(ACTIONS) as FaultAction['type'][];
  const type = oneOf(types)((value as { type?: unknown } | null | undefined)?.type, `${at}.type`);
  return ACTIONS[type](value, at);
};

export const limits = {
  times: optional(integer(1, 1_000_000)),
  skip: optional(integer(0, 1_000_000)),
};

/** @param methodId validates method ids of the provider */
function faultReader(methodId: Reader<string>): Reader<Fault> {
  return object({
    match: object({
      kind: optional(oneOf(REQUEST_KINDS)),
      methodId: optional(methodId),
      email: optional(text),
    }),
    action,
    ...limits,
  });
}

export function faultControls(prefix: string, faults: FaultList, methodId: Reader<string>): ControlRoute[] {
  return [
    get(`${prefix}/faults`, () => faults.all()),
    post(`${prefix}/faults`, faultReader(methodId), (input) => ({ faultId: faults.add(input) })),
    remove(`${prefix}/faults`, () => faults.clear()),
  ];
}
