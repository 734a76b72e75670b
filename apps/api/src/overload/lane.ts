/** Requests of one kind, which only keep out others of their kind. */
export class Lane {
  private inFlight = 0;

  /** @param share of the limit that requests of this kind may use up */
  constructor(private readonly share: number) {}

  /** Whether one more may come in, when `limit` are right for the process. */
  hasRoom(limit: number): boolean {
    return this.inFlight < limit * this.share;
  }

  enter(): void {
    this.inFlight += 1;
  }

  /** A listener, the same one for every request. */
  readonly leave = (): void => {
    this.inFlight -= 1;
  };
}
