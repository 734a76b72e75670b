/** Requests of one kind, which only keep out others of their kind. */
export class Lane {
  private inFlight = 0;
  /** Since the last beat. What needs no one else's answer is over before the next request is read, and never in flight. */
  private entered = 0;

  /** @param share of the limit that requests of this kind may use up */
  constructor(private readonly share: number) {}

  /** Whether one more may come in, when `limit` at a time are right for the process; when it is late, also in a beat. */
  hasRoom(limit: number, isLate: boolean): boolean {
    const most = limit * this.share;
    return this.inFlight < most && (!isLate || this.entered < most);
  }

  enter(): void {
    this.inFlight += 1;
    this.entered += 1;
  }

  beat(): void {
    this.entered = 0;
  }

  /** A listener, the same one for every request. */
  readonly leave = (): void => {
    this.inFlight -= 1;
  };
}
