import type { Fault, FaultAction, FaultSubject } from './fault.js';

export interface ListedFault extends Fault {
  faultId: string;
  /** Requests that have received it. */
  fired: number;
}

/** Pending faults. The first match wins; a request receives at most one fault. */
export class FaultList {
  #faults: (ListedFault & { seen: number })[] = [];
  #lastId = 0;

  add(fault: Fault): string {
    const faultId = `fault-${++this.#lastId}`;
    this.#faults.push({ ...fault, faultId, fired: 0, seen: 0 });
    return faultId;
  }

  all(): ListedFault[] {
    return this.#faults.map(({ seen: _, ...fault }) => fault);
  }

  clear(): void {
    this.#faults = [];
  }

  /** Returns and counts the fault of this request; undefined without one. @param canHappen skips other faults */
  take(subject: FaultSubject, canHappen: (action: FaultAction) => boolean = () => true): FaultAction | undefined {
    for (const fault of this.#faults) {
      if (!matches(fault, subject) || !canHappen(fault.action) || fault.fired >= (fault.times ?? Infinity)) continue;
      fault.seen += 1;
      if (fault.seen <= (fault.skip ?? 0)) continue;
      fault.fired += 1;
      return fault.action;
    }
    return undefined;
  }
}

function matches({ match: { kind, methodId, email } }: Fault, subject: FaultSubject): boolean {
  return (
    (kind === undefined || kind === subject.kind) &&
    (methodId === undefined || methodId === subject.methodId) &&
    (email === undefined || email.toLowerCase() === subject.user?.toLowerCase())
  );
}
